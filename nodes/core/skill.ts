import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';

import { diagnostic, type Diagnostic } from './errors';
import { parseFrontmatter, splitSkill, type SplitSkill } from './frontmatter';
import { HEAD_BYTES } from './limits';
import { unknownFields, validateSkill, type SkillFields } from './validate';

/** The one file name that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md';

/** What a SKILL.md says: `fields` is null when the skill cannot be offered. */
export interface ParsedSkill {
	fields: SkillFields | null;
	diagnostics: Diagnostic[];
}

const HASH_LENGTH = 32;

/** Gives back the hash by which a changed SKILL.md is known. */
export function hashOf(content: Uint8Array): string {
	return hash('sha256', content, 'hex').slice(0, HASH_LENGTH);
}

/** Gives back the text, or the byte at which it stops being UTF-8. */
export function decodeUtf8(content: Uint8Array): { text: string } | { badByte: number } {
	const text = toText(content);
	return isUtf8(content) ? { text } : { badByte: firstBadByte(text, content) };
}

/** Gives back metadata and findings of a SKILL.md; no content makes it throw. */
export function parseSkill(content: Uint8Array, path: string): ParsedSkill {
	if (!isUtf8(content)) {
		const decoded = decodeUtf8(content) as { badByte: number };
		const message = `The file is not UTF-8 text (byte ${decoded.badByte + 1}). Save it as UTF-8.`;
		return { fields: null, diagnostics: [diagnostic('skill-not-utf8', message, { path })] };
	}
	return parseSplit(headOf(content) ?? splitSkill(toText(content)), path);
}

/**
 * Gives back the same by the first bytes of a SKILL.md alone, without a word on what comes after its
 * header; null: the header does not end there, or is not plainly written, so the file is needed.
 */
export function parseSkillHead(head: Uint8Array, path: string): ParsedSkill | null {
	const split = headOf(head);
	return split && parseSplit(split, path);
}

function parseSplit(split: SplitSkill, path: string): ParsedSkill {
	const { values, diagnostics } = parseFrontmatter(split, path);
	if (values.size === 0 && diagnostics.length > 0) return { fields: null, diagnostics };
	const validated = validateSkill(values, path);
	if (diagnostics.length === 0) return validated;
	const all = [...diagnostics, ...validated.diagnostics];
	return {
		fields: validated.fields && { ...validated.fields, diagnostics: all },
		diagnostics: all,
	};
}

const START_FENCE = Buffer.from('---\n');
const END_FENCE = Buffer.from('\n---\n');
// A line that may end the header earlier, another kind of line end, or what was no UTF-8.
const NOT_PLAIN = /\n(?:---|\.\.\.)|[\r\ufffd]/;

/** Gives back a header that is plainly written at the start, its body left alone; else null. */
function headOf(content: Uint8Array): SplitSkill | null {
	if (!START_FENCE.every((byte, index) => content[index] === byte)) return null;
	const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
	const end = bytes.indexOf(END_FENCE, START_FENCE.length);
	if (end === -1 || end + END_FENCE.length > HEAD_BYTES) return null;
	// A copy of the header alone: what is kept of it must not hold on to the file's text.
	const header = bytes.toString('utf8', START_FENCE.length, end);
	return NOT_PLAIN.test(header) ? null : { header, body: '', unclosed: false, offset: 1 };
}

function toText(content: Uint8Array): string {
	return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8');
}

/** Gives back every finding about a SKILL.md, the strict ones included. */
export function validateSkillFile(content: Uint8Array, path: string): Diagnostic[] {
	const parsed = parseSkill(content, path);
	const decoded = decodeUtf8(content);
	if ('badByte' in decoded) return parsed.diagnostics;
	const { values } = parseFrontmatter(splitSkill(decoded.text), path);
	return [...parsed.diagnostics, ...unknownFields(values, path)];
}

function firstBadByte(lossy: string, content: Uint8Array): number {
	const encoded = Buffer.from(lossy, 'utf8');
	let at = 0;
	while (encoded[at] === content[at]) at++;
	// What differs may be the middle of the replacement character.
	while ((encoded[at] & 0xc0) === 0x80) at--;
	return at;
}
