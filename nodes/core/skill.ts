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
	contentHash: string;
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
	const contentHash = hashOf(content);
	if (!isUtf8(content)) {
		const decoded = decodeUtf8(content) as { badByte: number };
		const message = `The file is not UTF-8 text (byte ${decoded.badByte + 1}). Save it as UTF-8.`;
		return {
			fields: null,
			diagnostics: [diagnostic('skill-not-utf8', message, { path })],
			contentHash,
		};
	}
	const { values, diagnostics } = parseFrontmatter(splitHead(content), path);
	if (values.size === 0 && diagnostics.length > 0)
		return { fields: null, diagnostics, contentHash };
	const validated = validateSkill(values, path);
	const all = [...diagnostics, ...validated.diagnostics];
	const fields = validated.fields && { ...validated.fields, diagnostics: all };
	return { fields, diagnostics: all, contentHash };
}

/** Gives back the header of a SKILL.md without decoding a body that nobody asked for. */
function splitHead(content: Uint8Array): SplitSkill {
	const head = splitSkill(toText(content.subarray(0, HEAD_BYTES)));
	return head.unclosed && content.byteLength > HEAD_BYTES ? splitSkill(toText(content)) : head;
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
