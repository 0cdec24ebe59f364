import { echo } from '../../text';
import { chooseByName, listAll } from '../choose';
import {
	LibraryError,
	type Library,
	type LibrarySkill,
	type SkillQuery,
	type SkillRef,
} from '../types';
import type { SyncStatus } from './status';

/** Which skills are to be written. */
export interface Selection {
	/** Whose own skills come before others of the same name. */
	user: string | null;
	/** Absent: all that fit the query. */
	skills?: SkillRef[];
	query?: SkillQuery;
}

/** The skills to be written, one of each name, and what was asked for in vain. */
export interface Selected {
	skills: LibrarySkill[];
	/** The library's stamp at which this holds. */
	stamp: number;
	refused: SyncStatus[];
}

/** Gives back the skills that are meant. */
export async function selectSkills(library: Library, selection: Selection): Promise<Selected> {
	const { skills: refs, query, user } = selection;
	const found = refs ? await findAll(library, refs) : await listAll(library, query);
	const { skills, hidden } = chooseByName(found.skills, user);
	const refused = hidden.map(({ skill, by }): SyncStatus => {
		const owner = by.ownerId === null ? 'the system' : `"${echo(by.ownerId)}"`;
		const reason = `Another skill has the same name and comes first: that of ${owner}.`;
		return { id: skill.id, name: skill.name, ok: false, action: 'failed', reason };
	});
	const missing = 'refused' in found ? (found.refused as SyncStatus[]) : [];
	return { skills, stamp: found.stamp, refused: [...missing, ...refused] };
}

async function findAll(library: Library, refs: SkillRef[]): Promise<Selected> {
	const stamp = await library.stamp();
	const found = new Map<string, LibrarySkill>();
	const refused: SyncStatus[] = [];
	for (const ref of refs) {
		try {
			const skill = await library.find(ref);
			found.set(skill.id, skill);
		} catch (error) {
			if (!isNotFound(error)) throw error;
			refused.push(notFound('id' in ref ? ref.id : '', 'name' in ref ? ref.name : ''));
		}
	}
	return { skills: [...found.values()], stamp, refused };
}

/** Gives back the one answer for what is not there and for what may not be seen. */
export function notFound(id: string, name: string): SyncStatus {
	return { id, name, ok: false, action: 'not found or access denied' };
}

/** Tells whether the library says that there is no such skill, or none for this user. */
export function isNotFound(error: unknown): boolean {
	return error instanceof LibraryError && error.code === 'not-found';
}
