import { messageOf, SkillError } from './errors';
import { isWalked } from './discover';
import { MAX_LIBRARY_FILES, MAX_SKILL_DEPTH } from './limits';
import { mapParallel } from './parallel';
import { baseName, parentOf } from './path';
import { SKILL_FILE } from './skill';
import type { BackendEntry, SkillBackend, SkillFiles } from './types';

/**
 * Gives back all files of a skill but its SKILL.md, whatever their depth, in the order of their
 * paths. It throws a `SkillError` rather than give back only some of them.
 */
export async function listSkillFiles(
	backend: SkillBackend,
	skillPath: string,
): Promise<SkillFiles> {
	const dir = parentOf(skillPath);
	const prefix = dir === '/' ? 1 : dir.length + 1;
	const result: SkillFiles = { files: [], leftOut: [] };
	let level = [dir];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > MAX_SKILL_DEPTH) {
			throw tooMuch(`has folders more than ${MAX_SKILL_DEPTH} levels deep`);
		}
		const entries = (await mapParallel(level, async (one) => await list(backend, one))).flat();
		level = [];
		for (const entry of entries) {
			const path = entry.path.slice(prefix);
			if (path === SKILL_FILE) continue;
			if (!isTaken(entry)) result.leftOut.push(path);
			else if (entry.isDirectory) level.push(entry.path);
			else result.files.push({ path, ...(entry.size === undefined ? {} : { size: entry.size }) });
		}
		if (result.files.length + level.length > MAX_LIBRARY_FILES) {
			throw tooMuch(`has more than ${MAX_LIBRARY_FILES} files`);
		}
	}
	result.files.sort((a, b) => (a.path < b.path ? -1 : 1));
	return result;
}

function isTaken({ path, isDirectory, refused, problem }: BackendEntry): boolean {
	return !refused && !problem && (!isDirectory || isWalked(baseName(path)));
}

async function list(backend: SkillBackend, dir: string): Promise<BackendEntry[]> {
	try {
		return (await backend.list(dir)) ?? [];
	} catch (error) {
		if (error instanceof SkillError) throw error;
		throw new SkillError('skill-unreadable', `${dir} cannot be listed: ${messageOf(error)}`);
	}
}

function tooMuch(what: string): SkillError {
	return new SkillError('skill-too-large', `The skill ${what}.`, 'Keep such data elsewhere.');
}
