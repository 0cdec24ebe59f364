import type { Library, NewSkill } from '../../../nodes/core/library/types';

/** Gives back text as the content of a file. */
export const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Gives back the content of a file as text. */
export const text = (content: Uint8Array): string => Buffer.from(content).toString();

/** Gives back what is needed to make a skill; tests change what they are about. */
export function newSkill(name: string, more: Partial<NewSkill> = {}): NewSkill {
	return { name, description: `What ${name} does`, content: `# ${name}\n\nDo it.\n`, ...more };
}

/** Ann, who owns what the tests make unless they say otherwise. */
export const ANN = { user: 'ann', isAdministrator: false };
/** Somebody else. */
export const BOB = { user: 'bob', isAdministrator: false };
/** May do everything. */
export const ADMIN = { user: 'root', isAdministrator: true };

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
