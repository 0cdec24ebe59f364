import { isDeepStrictEqual } from 'node:util';

import { exactBody, parseFrontmatter, splitSkill } from '../frontmatter';
import { generateSkill } from '../generate';
import { MAX_EXTRAS_NESTING, MAX_FRONTMATTER_BYTES, MAX_SKILL_FILE_BYTES } from '../limits';
import { decodeUtf8, parseSkill, SKILL_FILE } from '../skill';
import { count, echo } from '../text';
import { LibraryError, type NewSkill } from './types';

/** What a SKILL.md holds of a skill of the library. */
export type SkillFileFields = Required<
	Pick<NewSkill, 'name' | 'description' | 'content' | 'tags' | 'extras'>
>;

/**
 * Gives back what a SKILL.md says, each text as it stands there; `skillFileOf` is the inverse. It
 * throws a `LibraryError` that says why a file cannot be a skill.
 */
export function skillOfFile(file: Uint8Array, path: string): SkillFileFields {
	const { fields, diagnostics } = parseSkill(file, path);
	const decoded = decodeUtf8(file);
	if (fields === null || 'badByte' in decoded) {
		const reasons = diagnostics.filter(({ severity }) => severity !== 'info');
		throw new LibraryError('invalid', reasons.map(({ message }) => message).join(' '));
	}
	const { values } = parseFrontmatter(splitSkill(decoded.text), path);
	const { tags, ...extras } = plainFields(values);
	const list = tagList(tags);
	return {
		name: textOr(values.get('name'), fields.name),
		description: textOr(values.get('description'), fields.description),
		content: (exactBody(decoded.text) ?? '').toWellFormed(),
		tags: list ?? [],
		extras: list === null ? { ...extras, tags } : extras,
	};
}

/** Gives back the text of the SKILL.md of a skill; throws where no parser could read it back. */
export function skillFileOf(skill: SkillFileFields): string {
	const { name, description, content, tags, extras } = skill;
	plain(extras);
	const fields = tags.length > 0 ? { ...extras, tags } : extras;
	const text = generateSkill({ name, description, body: content, fields });
	if (text.length - content.length > MAX_FRONTMATTER_BYTES) {
		throw new LibraryError(
			'too-large',
			`The fields of the skill "${name}" make a frontmatter of more than ${MAX_FRONTMATTER_BYTES} characters.`,
			'Shorten its extra fields.',
		);
	}
	return text;
}

/** Refuses a skill whose SKILL.md no agent could load, or that would be read back as another one. */
export function checkLoadable(skill: Omit<SkillFileFields, 'content'>, contentBytes: number): void {
	const header = Buffer.from(skillFileOf({ ...skill, content: '' }));
	if (header.byteLength + contentBytes > MAX_SKILL_FILE_BYTES) {
		throw new LibraryError(
			'too-large',
			`The text and the fields make a SKILL.md of more than ${count(MAX_SKILL_FILE_BYTES, 'byte')}.`,
			'Keep a part of the text in a file of the skill.',
		);
	}
	const read = skillOfFile(header, `/${skill.name}/${SKILL_FILE}`);
	if (isDeepStrictEqual(read, { ...skill, content: '' })) return;
	const all = (fields: typeof skill): Record<string, unknown> => ({ ...fields.extras, ...fields });
	const [there, back] = [all(skill), all(read)];
	const isOther = (key: string) => key !== 'extras' && !isDeepStrictEqual(there[key], back[key]);
	const field = Object.keys({ ...skill.extras, ...skill }).find(isOther) ?? 'extras';
	throw new LibraryError(
		'invalid',
		`The field "${echo(field)}" cannot be written into a SKILL.md so that it is read back the same.`,
		'Write it another way, or keep it in a file of the skill.',
	);
}

/** Gives back fields as the parser of a SKILL.md does: each scalar is text. */
export function textFields(fields: object): Record<string, unknown> {
	return plain(fields) as Record<string, unknown>;
}

function textOr(value: unknown, otherwise: string): string {
	return typeof value === 'string' ? value.toWellFormed() : otherwise;
}

function plainFields(values: Map<string, unknown>): Record<string, unknown> {
	const others = [...values].filter(([key]) => key !== 'name' && key !== 'description');
	return plain(new Map(others)) as Record<string, unknown>;
}

/** Gives back tags from a list or from text with commas; null: it is neither. */
function tagList(tags: unknown): string[] | null {
	if (tags === undefined) return [];
	const parts = typeof tags === 'string' ? tags.split(',') : tags;
	if (!Array.isArray(parts) || parts.some((part) => typeof part !== 'string')) return null;
	const names = (parts as string[]).map((part) => part.trim()).filter((part) => part !== '');
	return [...new Set(names)];
}

/** Gives back a value of a frontmatter as JSON has it, and as the parser gives its scalars. */
function plain(value: unknown, depth = 0): unknown {
	if (depth > MAX_EXTRAS_NESTING) {
		const message = `The frontmatter is nested deeper than ${MAX_EXTRAS_NESTING} levels.`;
		throw new LibraryError('invalid', message, 'Keep such data in a file of the skill.');
	}
	if (typeof value === 'string') return value.toWellFormed();
	if (Array.isArray(value)) return value.map((part) => plain(part, depth + 1));
	if (value === null || value === undefined) return '';
	if (typeof value !== 'object') return String(value);
	const pairs = value instanceof Map ? [...value] : Object.entries(value);
	return Object.fromEntries(
		pairs.map(([key, part]) => [keyText(key), plain(part, depth + 1)] as const),
	);
}

function keyText(key: unknown): string {
	return (typeof key === 'string' ? key : JSON.stringify(plain(key))).toWellFormed();
}
