import { setImmediate } from 'node:timers/promises';

import { messageOf, SkillError, type Diagnostic } from '../errors';
import { FILES_PER_READ, MAX_LIBRARY_SKILL_BYTES, MAX_RESOURCE_FILE_BYTES } from '../limits';
import { baseName, parentOf } from '../path';
import { SKILL_FILE } from '../skill';
import { count, echo } from '../text';
import type { SkillMetadata, SkillSet } from '../types';
import { skillOfFile } from './document';
import {
	LibraryError,
	type Library,
	type LibraryErrorCode,
	type LibrarySkill,
	type NewSkill,
} from './types';

/** What became of one skill that was to be imported. */
export interface ImportResult {
	name: string;
	/** Where it came from. */
	from: string;
	ok: boolean;
	action: 'created' | 'updated' | 'unchanged' | 'refused';
	/** Absent: it was refused. */
	skill?: LibrarySkill;
	/** Why it was refused, and what can be done. */
	reason?: string;
	/** Folders and links of the skill that were not taken along. */
	leftOut?: string[];
}

/** Where imported skills go. */
export interface ImportOptions {
	/** Whose they shall be; null: system skills. */
	ownerId: string | null;
	/** Absent: new ones are private, the others stay as they are. */
	isPublic?: boolean;
	/** Hears of each skill that is done. */
	onProgress?: (done: number, total: number, result: ImportResult) => void;
}

/**
 * Gives back what became of each skill of a set: it is made, or the owner's skill of the same name
 * is changed, each in one transaction. A bad one stops no other.
 */
export async function importSkills(
	library: Library,
	source: SkillSet,
	options: ImportOptions,
): Promise<ImportResult[]> {
	const snapshot = await source.refresh(true);
	const results = snapshot.diagnostics.filter(isRefusal).map(refused);
	const total = results.length + snapshot.skills.length;
	results.forEach((result, index) => options.onProgress?.(index + 1, total, result));
	for (const skill of snapshot.skills) {
		const result = await importOne(library, source, skill, options);
		results.push(result);
		options.onProgress?.(results.length, total, result);
		// A library in a file answers at once, so nothing else of n8n would have its turn until the end.
		await setImmediate();
	}
	return results;
}

/** What is broken, hidden by another one, or a whole source that cannot be read. */
function isRefusal({ severity, code }: Diagnostic): boolean {
	return severity === 'error' || code === 'skill-duplicate' || code === 'source-stale';
}

function refused({ path = '', message }: Diagnostic): ImportResult {
	const isSkill = baseName(path) === SKILL_FILE;
	const name = baseName(isSkill ? parentOf(path) : path);
	return { name, from: path, ok: false, action: 'refused', reason: message };
}

async function importOne(
	library: Library,
	source: SkillSet,
	metadata: SkillMetadata,
	options: ImportOptions,
): Promise<ImportResult> {
	const { name, directory: from } = metadata;
	try {
		const { skill, leftOut } = await readSkill(source, metadata);
		const saved = await save(library, skill, options);
		const more = leftOut.length > 0 ? { leftOut } : {};
		return { name: saved.skill.name, from, ok: true, ...saved, ...more };
	} catch (error) {
		const hint = error instanceof LibraryError || error instanceof SkillError ? error.hint : '';
		const reason = [messageOf(error), hint].filter(Boolean).join(' ');
		return { name, from, ok: false, action: 'refused', reason };
	}
}

async function readSkill(
	source: SkillSet,
	metadata: SkillMetadata,
): Promise<{ skill: NewSkill; leftOut: string[] }> {
	if (!source.files) {
		const hint = 'Update the package of that Skills Source.';
		throw new SkillError('source-invalid', 'Its files cannot be listed.', hint);
	}
	const { files, leftOut } = await source.files(metadata);
	const declared = files.reduce((sum, { size = 0 }) => sum + size, 0);
	if (declared > MAX_LIBRARY_SKILL_BYTES) throw tooLarge();
	const [text, ...contents] = await readAll(source, metadata, [
		SKILL_FILE,
		...files.map(({ path }) => path),
	]);
	const skill = skillOfFile(text, metadata.path);
	const withPaths = contents.map((content, index) => ({ path: files[index].path, content }));
	return { skill: { ...skill, files: withPaths }, leftOut };
}

async function readAll(
	source: SkillSet,
	metadata: SkillMetadata,
	paths: string[],
): Promise<Uint8Array[]> {
	const contents: Uint8Array[] = [];
	let bytes = 0;
	for (let start = 0; start < paths.length; start += FILES_PER_READ) {
		const portion = paths.slice(start, start + FILES_PER_READ);
		const results = await source.readFiles(metadata, portion, MAX_RESOURCE_FILE_BYTES);
		for (const [index, result] of results.entries()) {
			if ('error' in result) {
				const message = `"${echo(portion[index])}" cannot be read: ${result.message}`;
				throw new SkillError('skill-unreadable', message);
			}
			bytes += result.content.byteLength;
			contents.push(result.content);
		}
		if (bytes > MAX_LIBRARY_SKILL_BYTES) throw tooLarge();
	}
	return contents;
}

function tooLarge(): SkillError {
	const message = `The skill has more than ${count(MAX_LIBRARY_SKILL_BYTES, 'byte')}.`;
	return new SkillError('skill-too-large', message, 'Keep large data elsewhere.');
}

type Saved = { action: ImportResult['action']; skill: LibrarySkill };

async function save(
	library: Library,
	skill: NewSkill,
	{ ownerId, isPublic }: ImportOptions,
): Promise<Saved> {
	const wanted: NewSkill = { ...skill, ...(isPublic === undefined ? {} : { isPublic }) };
	const ref = { name: skill.name, ownerId };
	const known = await library.find(ref).catch(unless('not-found'));
	if (!known) {
		const made = await library.create({ ...wanted, ownerId }).catch(unless('name-taken'));
		if (made) return { action: 'created', skill: made };
	}
	// By id where it is known; else somebody made it just now.
	const saved = await library.update(known ? { id: known.id } : ref, wanted);
	return { action: saved.version === known?.version ? 'unchanged' : 'updated', skill: saved };
}

/** Gives back nothing for the error with a code; any other is thrown on. */
function unless(code: LibraryErrorCode): (error: unknown) => undefined {
	return (error) => {
		if (error instanceof LibraryError && error.code === code) return undefined;
		throw error;
	};
}
