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
	/** The id of the library itself, wherever it is kept, and as whom it was opened. */
	database: string;
	isAdministrator: boolean;
	/** Whose own skills come before others of the same name. */
	user: string | null;
	/** Absent: all that fit the query. */
	skills?: SkillRef[];
	query?: SkillQuery;
}

/** The skills to be written, one of each name, and what is to be said of the others. */
export interface Selected {
	skills: LibrarySkill[];
	/** The library's stamp at which this holds. */
	stamp: number;
	others: SyncStatus[];
}

/** Gives back what is equal for two selections that mean the same skills of the same library. */
export function keyOf({ database, isAdministrator, user, skills, query }: Selection): string {
	return JSON.stringify([database, isAdministrator, user, skills, query]);
}

/** Gives back the skills that are meant. */
export async function selectSkills(library: Library, selection: Selection): Promise<Selected> {
	const { skills: refs, query, user } = selection;
	const found = refs ? await findAll(library, refs) : await listAll(library, query);
	const { skills, hidden } = chooseByName(found.skills, user);
	const shadowed = hidden.map(({ skill: { id, name }, by }): SyncStatus => {
		const owner = by.ownerId === null ? 'the system' : `"${echo(by.ownerId)}"`;
		const reason = `Another skill has the same name and comes first: that of ${owner}.`;
		// Who asks for all gets one of each name; who asked for this very skill does not get it.
		if (refs) return { id, name, ok: false, action: 'failed', reason };
		return { id, name, ok: true, action: 'shadowed', reason };
	});
	const missing = 'others' in found ? (found.others as SyncStatus[]) : [];
	return { skills, stamp: found.stamp, others: [...missing, ...shadowed] };
}

async function findAll(library: Library, refs: SkillRef[]): Promise<Selected> {
	const stamp = await library.stamp();
	const found = new Map<string, LibrarySkill>();
	const others: SyncStatus[] = [];
	for (const ref of refs) {
		try {
			const skill = await library.find(ref);
			found.set(skill.id, skill);
		} catch (error) {
			if (!isNotFound(error)) throw error;
			others.push(notFound('id' in ref ? ref.id : '', 'name' in ref ? ref.name : ''));
		}
	}
	return { skills: [...found.values()], stamp, others };
}

/** Gives back the one answer for what is not there and for what may not be seen. */
export function notFound(id: string, name: string): SyncStatus {
	const reason = `There is no such skill, or this user may not see it. Check ${id === '' ? 'the name' : 'the ID'} and the user for whom it was asked.`;
	return { id, name, ok: false, action: 'not found or access denied', reason };
}

/** Tells whether the library says that there is no such skill, or none for this user. */
export function isNotFound(error: unknown): boolean {
	return error instanceof LibraryError && error.code === 'not-found';
}
