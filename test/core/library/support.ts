import type { Library, LibraryDatabase, NewSkill } from '../../../nodes/core/library/types';
import { MemoryDatabase } from './memory';

/** Ann, who owns what the tests make unless they say otherwise. */
export const ANN = { user: 'ann', isAdministrator: false };
/** Somebody else. */
export const BOB = { user: 'bob', isAdministrator: false };
/** May do everything. */
export const ADMIN = { user: 'root', isAdministrator: true };

/** The kinds of database that the tests can run on here. */
export const DATABASES: Array<[string, () => Promise<LibraryDatabase>]> = [
	['memory', async () => new MemoryDatabase()],
];

/** Gives back a skill to be made. */
export function newSkill(name: string, more: Partial<NewSkill> = {}): NewSkill {
	return { name, description: `About ${name}`, content: `# ${name}\n`, ...more };
}

/** Gives back files by path. */
export function newFiles(files: Record<string, string | Uint8Array>): NewSkill['files'] {
	return Object.entries(files).map(([path, content]) => ({
		path,
		content: Buffer.from(content as string),
	}));
}

/** Makes skills of these names. */
export async function createAll(library: Library, ...names: string[]): Promise<void> {
	for (const name of names) await library.create(newSkill(name));
}
