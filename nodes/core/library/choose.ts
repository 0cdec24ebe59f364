import { MAX_LISTINGS } from '../limits';
import { normalizeName } from '../validate';
import type { Library, LibrarySkill, SkillQuery } from './types';

/** Skills of a library at one moment. */
export interface Listing {
	skills: LibrarySkill[];
	/** The library's stamp at which they are known to be so. */
	stamp: number;
}

/** Gives back all skills that fit, whatever the size of a page. */
export async function listAll(library: Library, query: SkillQuery = {}): Promise<Listing> {
	let stamp = await library.stamp();
	for (let attempt = 1; ; attempt++) {
		const skills: LibrarySkill[] = [];
		let pages = 0;
		let cursor: string | undefined;
		do {
			const page = await library.list(cursor === undefined ? query : { ...query, cursor });
			// Not by spreading: a page may hold more than a call takes arguments.
			for (const skill of page.skills) skills.push(skill);
			({ cursor } = page);
			pages++;
		} while (cursor !== undefined);
		// One page is one moment; several may have missed what moved from one to another.
		const now = pages === 1 ? stamp : await library.stamp();
		if (now === stamp || attempt === MAX_LISTINGS) return { skills, stamp };
		stamp = now;
	}
}

/** One skill of each name, and those that it hides. */
export interface Chosen {
	skills: LibrarySkill[];
	hidden: Array<{ skill: LibrarySkill; by: LibrarySkill }>;
}

/** Gives back one skill of each name: the user's own, else the system's, else the first owner's. */
export function chooseByName(skills: LibrarySkill[], user: string | null): Chosen {
	const byName = new Map<string, LibrarySkill>();
	const losers: LibrarySkill[] = [];
	for (const skill of skills) {
		const key = normalizeName(skill.name);
		const other = byName.get(key);
		const wins = other === undefined || isBefore(skill, other, user);
		if (wins) byName.set(key, skill);
		if (other) losers.push(wins ? other : skill);
	}
	if (losers.length === 0) return { skills, hidden: [] };
	const hidden = losers.map((skill) => ({
		skill,
		by: byName.get(normalizeName(skill.name)) as LibrarySkill,
	}));
	return { skills: [...byName.values()], hidden };
}

function isBefore(a: LibrarySkill, b: LibrarySkill, user: string | null): boolean {
	const difference = rank(a, user) - rank(b, user);
	return difference === 0 ? (a.ownerId ?? '') < (b.ownerId ?? '') : difference < 0;
}

function rank({ ownerId }: LibrarySkill, user: string | null): number {
	if (ownerId === null) return 1;
	return ownerId === user ? 0 : 2;
}
