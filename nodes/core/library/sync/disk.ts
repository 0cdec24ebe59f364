import { realpathSync, statSync, type Stats } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { isAbsent, type FileAccess } from '../../backends/guard';
import { SkillError } from '../../errors';

/** Gives back where a path will really be, of which the last parts may be missing yet. */
export function realAbove(path: string): string {
	try {
		return realpathSync.native(path);
	} catch (error) {
		if (!isAbsent(error) || dirname(path) === path) throw error;
		return join(realAbove(dirname(path)), path.slice(dirname(path).length));
	}
}

/** Throws a `SkillError` where n8n does not let nodes write. */
export async function assertAllowed(real: string, access: FileAccess): Promise<void> {
	if (!(await access.isBlocked(real))) return;
	const message = `n8n does not allow nodes to write to ${real}.`;
	throw new SkillError('source-blocked', message, access.explain(real));
}

/** Makes a folder and those above it, up to one that was made before. */
export async function makeFolders(dir: string, made: Set<string>): Promise<void> {
	if (made.has(dir)) return;
	await makeFolders(dirname(dir), made);
	// One by one, and never one that is there already: it may be a link that somebody placed.
	await mkdir(dir);
	made.add(dir);
}

/** Writes a file that is not there yet; gives back its inode, size and time. */
export async function writeNew(
	path: string,
	content: Uint8Array,
): Promise<[number, number, number]> {
	const file = await open(path, 'wx', 0o644);
	try {
		await file.writeFile(content);
		const { ino, size, mtimeMs } = await file.stat();
		return [ino, size, mtimeMs];
	} finally {
		await file.close();
	}
}

/** Gives back how a file looks, null when there is none to be seen. */
export function statOrNull(path: string): Stats | null {
	try {
		return statSync(path, { throwIfNoEntry: false }) ?? null;
	} catch {
		return null;
	}
}
