import {
	MAX_DESCRIPTION_LENGTH,
	MAX_FRONTMATTER_BYTES,
	MAX_LIBRARY_FILES,
	MAX_LIBRARY_SKILL_BYTES,
	MAX_RESOURCE_FILE_BYTES,
	MAX_SKILL_FILE_BYTES,
	MAX_TAG_LENGTH,
	MAX_TAGS,
} from '../limits';
import { safeRelativePath } from '../path';
import { SKILL_FILE } from '../skill';
import { count, echo } from '../text';
import { nameProblem } from '../validate';
import { isUser } from './access';
import { textFields } from './document';
import { LibraryError } from './types';

const RESERVED_FIELDS = ['name', 'description'];

/** Gives back the error for input that the library does not take. */
export function invalid(message: string, hint?: string): LibraryError {
	return new LibraryError('invalid', message, hint);
}

/** Gives back the one answer for what is not there and for what may not be seen or changed. */
export function notFound(what = 'skill'): LibraryError {
	return new LibraryError(
		'not-found',
		`There is no such ${what}, or this user may not see or change it.`,
		'Check the id or name, and the user for whom it was asked.',
	);
}

/** Gives back a name to the rules of the specification. */
export function checkedName(name: unknown): string {
	const text = checkedText(name, 'name').normalize('NFKC').trim();
	if (text === '') throw invalid('A skill needs a name.', 'For example: web-research');
	const problem = nameProblem(text, '');
	if (problem === null) return text;
	throw invalid(
		`The name "${echo(text)}" is not to the rules: ${problem}.`,
		'Use lowercase letters, digits and single hyphens, for example: web-research',
	);
}

/** Gives back a description within the limit. */
export function checkedDescription(description: unknown): string {
	const text = checkedText(description, 'description').trim();
	if (text === '') {
		throw invalid('A skill needs a description.', 'Say what it does and when to use it.');
	}
	if (text.length <= MAX_DESCRIPTION_LENGTH) return text;
	const limit = `at most ${count(MAX_DESCRIPTION_LENGTH, 'character')} are allowed`;
	throw invalid(`The description has ${count(text.length, 'character')}; ${limit}.`);
}

/** Gives back the text of a skill as bytes. */
export function checkedContent(content: unknown): Uint8Array {
	const bytes = Buffer.from(checkedText(content, 'text'));
	if (bytes.byteLength > MAX_SKILL_FILE_BYTES) throw tooLarge('The text', MAX_SKILL_FILE_BYTES);
	return bytes;
}

/** Gives back tags without repetitions, and as they are compared. */
export function checkedTags(tags: unknown): { tags: string[]; tagKeys: string[] } {
	if (!Array.isArray(tags)) throw invalid('The tags are not a list.');
	const byKey = new Map<string, string>();
	for (const tag of tags.map((one) => checkedText(one, 'tag').trim())) {
		if (tag.length > MAX_TAG_LENGTH) {
			throw invalid(`The tag "${echo(tag)}" is longer than ${MAX_TAG_LENGTH} characters.`);
		}
		if (tag !== '' && !byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag);
	}
	if (byKey.size > MAX_TAGS) throw invalid(`There are more than ${MAX_TAGS} tags.`);
	return { tags: [...byKey.values()], tagKeys: [...byKey.keys()] };
}

/** Gives back a tag so that two spellings of the same tag are equal. */
export function tagKey(tag: string): string {
	return tag.normalize('NFKC').toLowerCase().trim();
}

/** Gives back the other fields of a frontmatter as its parser would: each scalar is text. */
export function checkedExtras(extras: unknown): Record<string, unknown> {
	if (typeof extras !== 'object' || extras === null || Array.isArray(extras)) {
		throw invalid('The further fields are not an object.');
	}
	const json = toJson(extras);
	if (json.length > MAX_FRONTMATTER_BYTES) throw tooLarge('The fields', MAX_FRONTMATTER_BYTES);
	const reserved = RESERVED_FIELDS.find((key) => Object.hasOwn(extras, key));
	if (reserved !== undefined) {
		throw invalid(
			`The further fields hold "${reserved}", which is no further one.`,
			`Set the ${reserved} of the skill itself.`,
		);
	}
	return textFields(JSON.parse(json) as object);
}

function toJson(value: object): string {
	const checked = (key: string, inner: unknown) => {
		checkedText(key, 'further fields');
		return typeof inner === 'string' ? checkedText(inner, 'further fields') : inner;
	};
	try {
		return JSON.stringify(value, checked);
	} catch (error) {
		if (error instanceof LibraryError) throw error;
		throw invalid('The further fields hold what JSON cannot: a circle or a very large number.');
	}
}

/** Gives back a relative path below a skill's folder that is not its SKILL.md. */
export function checkedPath(path: unknown): string {
	const safe = typeof path === 'string' ? safeRelativePath(path.toWellFormed()) : null;
	if (safe === null) {
		throw invalid(
			`The path "${echo(path)}" is not a path inside of the skill's folder.`,
			'Write it like scripts/convert.py: relative, with "/", without "..".',
		);
	}
	if (pathKey(safe) === pathKey(SKILL_FILE)) {
		throw invalid(
			'SKILL.md is the skill itself, not one of its files.',
			'To change it, update the skill: its name, description, fields and text make the SKILL.md.',
		);
	}
	return safe;
}

/** Gives back a path so that two are equal where a file system may take them for the same. */
export function pathKey(path: string): string {
	return path.normalize('NFC').toLowerCase();
}

/** Refuses files that could not lie beside each other in a folder, and too many or too large ones. */
export function checkTogether(files: Array<{ path: string; size: number }>): void {
	if (files.length > MAX_LIBRARY_FILES) {
		throw invalid(`A skill has at most ${count(MAX_LIBRARY_FILES, 'file')}.`);
	}
	const byKey = new Map<string, string>();
	let bytes = 0;
	for (const { path, size } of files) {
		const other = byKey.get(pathKey(path));
		if (other !== undefined) throw collision(path, other);
		byKey.set(pathKey(path), path);
		bytes += size;
	}
	if (bytes > MAX_LIBRARY_SKILL_BYTES) throw tooLarge('The skill', MAX_LIBRARY_SKILL_BYTES);
	for (const [key, path] of byKey) {
		for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
			const folder = byKey.get(key.slice(0, end));
			if (folder !== undefined) throw collision(path, folder);
		}
	}
}

function collision(path: string, other: string): LibraryError {
	return invalid(
		`The paths "${echo(path)}" and "${echo(other)}" cannot both exist in a folder.`,
		'Many file systems tell no capital from small letters, and a file is no folder. Rename one.',
	);
}

/** Gives back the content of a file within the limit. */
export function checkedBytes(content: unknown, path: string): Uint8Array {
	if (!(content instanceof Uint8Array)) throw invalid(`The file "${echo(path)}" has no content.`);
	if (content.byteLength <= MAX_RESOURCE_FILE_BYTES) return content;
	throw tooLarge(`The file "${echo(path)}"`, MAX_RESOURCE_FILE_BYTES);
}

/** Gives back the owner of a skill: a user, or null for the system. */
export function checkedOwner(owner: unknown): string | null {
	if (owner === null || isUser(owner)) return owner;
	throw invalid(
		'The owner is not a user: it is empty, too long, or holds a NUL or half a character.',
	);
}

/** Gives back a time as the database compares it. */
export function checkedTime(time: unknown): string {
	const at = new Date(time as string);
	const year = typeof time === 'string' ? at.getUTCFullYear() : NaN;
	// What ISO 8601 writes with four digits and Postgres knows; it has no year 0.
	if (year >= 1 && year < 10_000) return at.toISOString();
	throw invalid(`"${echo(time)}" is no time.`, 'Write it as ISO 8601: 2026-01-31T12:00:00Z');
}

/** Gives back a whole number from `least` on. */
export function checkedNumber(value: unknown, what: string, least: number): number {
	if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
	throw invalid(`The ${what} is not a whole number from ${least} on.`);
}

/** Gives back text that every database can hold. */
function checkedText(text: unknown, what: string): string {
	if (typeof text !== 'string') throw invalid(`The ${what} is not a text.`);
	if (text.includes('\0')) throw nul(what);
	return text.toWellFormed();
}

function nul(what: string): LibraryError {
	return invalid(`The ${what} holds a NUL character, which no database keeps in text. Remove it.`);
}

function tooLarge(what: string, limit: number): LibraryError {
	return new LibraryError('too-large', `${what} is larger than ${count(limit, 'byte')}.`);
}
