import { isUtf8 } from 'node:buffer';
import { hash, randomUUID } from 'node:crypto';

import { checkedBytes, checkedPath, pathKey } from './checks';
import type { Entry } from './repository';
import type { LibraryFileInfo, LibrarySkill } from './types';

/** A file with its content, as it is stored. */
export type NewEntry = Entry & { content: Uint8Array };

/** The path under which the text of a SKILL.md is stored among the files. */
export const TEXT_PATH = '';

/** Gives back the text of a SKILL.md as a stored file. */
export function textEntry(content: Uint8Array): NewEntry {
	return entry(TEXT_PATH, content);
}

/** Gives back a file as it is stored, checked. */
export function fileEntry(file: { path: string; content: Uint8Array }): NewEntry {
	const path = checkedPath(file?.path);
	return entry(path, checkedBytes(file.content, path));
}

function entry(path: string, content: Uint8Array): NewEntry {
	return {
		id: randomUUID(),
		path,
		pathKey: pathKey(path),
		size: content.byteLength,
		hash: hash('sha256', content, 'hex'),
		isBinary: content.includes(0) || !isUtf8(content),
		content,
	};
}

/** Gives back what is told of a file. */
export function infoOf({ id, path, size, hash: content, isBinary }: Entry): LibraryFileInfo {
	return { id, path, size, hash: content, isBinary };
}

/** Gives back the hash of all that makes a skill; equal skills have equal ones, whoever owns them. */
export function contentHashOf(
	skill: Pick<LibrarySkill, 'name' | 'description' | 'tags' | 'extras'>,
	entries: Array<Pick<Entry, 'path' | 'hash'>>,
): string {
	const files = entries.map(({ path, hash: content }) => [path, content]).sort(byPath);
	const all = [skill.name, skill.description, skill.tags, sorted(skill.extras), files];
	return hash('sha256', JSON.stringify(all), 'hex');
}

function byPath([a]: string[], [b]: string[]): number {
	return a < b ? -1 : Number(a > b);
}

/** Gives back a value so that objects with the same keys read the same. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== 'object' || value === null) return value;
	return Object.entries(value)
		.sort(([a], [b]) => byPath([a], [b]))
		.map(([key, inner]) => [key, sorted(inner)]);
}
