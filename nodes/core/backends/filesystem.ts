import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import type { Dirent, Stats } from 'node:fs';

import { messageOf, SkillError } from '../errors';
import { mapParallel } from '../parallel';
import { isInside, isSafePath, joinPath, safeAbsolutePath } from '../path';
import type { BackendEntry, ReadErrorCode, ReadResult, SkillBackend } from '../types';

/** Who may read what; n8n's own restrictions stand behind it. */
export interface FileAccess {
	/** Tells whether reading a real path is forbidden. */
	isBlocked(realPath: string): boolean | Promise<boolean>;
	/** What a person can do when a path is forbidden. */
	explain(path: string): string;
}

/** A root on the disk, and the folders in it that may be read. */
export interface FilesystemOptions {
	/** Real absolute folder that "/" of the backend stands for; empty: the disk's own root. */
	root: string;
	/** Backend paths of the sources; nothing outside them is ever opened. */
	sources: string[];
	access: FileAccess;
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

/** Gives back a backend over folders of the disk. */
export function createFilesystemBackend(options: FilesystemOptions): SkillBackend {
	const guard = new Guard(options);
	return {
		id: `filesystem:${options.root}`,
		location: options.root,

		async list(dir) {
			const place = await guard.enter(dir);
			if (place === null) return null;
			const names = await readdir(place.real, { withFileTypes: true }).catch((error: unknown) => {
				if (codeOf(error) === 'ENOTDIR')
					throw new SkillError('source-not-folder', 'It is not a folder.');
				if (codeOf(error) === 'ENOENT') return null;
				throw new SkillError('source-unreadable', `It cannot be listed (${codeOf(error)}).`);
			});
			if (names === null) return null;
			names.sort((a, b) => (a.name < b.name ? -1 : 1));
			const entries = await mapParallel(names, async (name) => await guard.entry(place, name));
			return entries.filter((entry) => entry !== null);
		},

		async read(paths, maxBytes) {
			return await mapParallel(paths, async (path) => {
				try {
					return await readOne(guard, path, maxBytes);
				} catch (error) {
					return refusal(
						path,
						ABSENT.has(codeOf(error)) ? 'not_found' : 'unreadable',
						codeOf(error),
					);
				}
			});
		},
	};
}

/** A folder that was found to be inside its source. */
interface Place {
	/** Path in the backend. */
	path: string;
	real: string;
	/** Real path of the source that contains it. */
	source: string;
}

/** The one place that decides what of the disk may be seen. */
class Guard {
	constructor(private readonly options: FilesystemOptions) {}

	/** Gives back the real folder, null when it is absent; throws when it is forbidden. */
	async enter(path: string): Promise<Place | null> {
		const safe = safeAbsolutePath(path);
		const source = safe === null ? undefined : this.sourceOf(safe);
		if (safe === null || source === undefined) {
			throw new SkillError('source-blocked', 'The path is outside of the sources.');
		}
		const realSource = await this.real(source);
		const real = safe === source ? realSource : await this.real(safe);
		if (realSource === null || real === null) return null;
		if (!isInside(real, realSource)) {
			throw new SkillError('source-blocked', 'The path is a link that leaves the source.');
		}
		if (await this.options.access.isBlocked(real)) {
			throw new SkillError(
				'source-blocked',
				'n8n does not allow nodes to read this folder.',
				this.options.access.explain(real),
			);
		}
		return { path: safe, real, source: realSource };
	}

	/** Gives back what a folder's entry is; a link is followed only inside its source. */
	async entry(place: Place, name: Dirent): Promise<BackendEntry | null> {
		const path = joinPath(place.path, name.name);
		const real = joinPath(place.real, name.name);
		if (!isSafePath(path)) return null;
		if (name.isDirectory()) return { path, isDirectory: true };
		if (name.isFile()) {
			return fileEntry(path, await lstat(real).catch(() => null));
		}
		if (!name.isSymbolicLink()) return null;
		const target = await realpath(real).catch(() => null);
		if (target === null) return null;
		if (!isInside(target, place.source))
			return { path, isDirectory: false, refused: 'link-outside' };
		const stats = await stat(target).catch(() => null);
		return stats?.isDirectory() ? { path, isDirectory: true } : fileEntry(path, stats);
	}

	/** The innermost source: one inside another may itself be a link to elsewhere. */
	private sourceOf(path: string): string | undefined {
		return this.options.sources
			.filter((source) => isInside(path, source))
			.sort((a, b) => b.length - a.length)[0];
	}

	private async real(path: string): Promise<string | null> {
		try {
			return await realpath(path === '/' ? this.options.root || '/' : this.options.root + path);
		} catch (error) {
			if (ABSENT.has(codeOf(error))) return null;
			throw new SkillError('source-unreadable', `It cannot be opened (${codeOf(error)}).`);
		}
	}
}

async function readOne(guard: Guard, path: string, maxBytes: number): Promise<ReadResult> {
	if (!isSafePath(path)) return refusal(path, 'unsafe_path', 'the path is not allowed');
	let place: Place | null;
	try {
		// The file itself, not only its folder: patterns of n8n may forbid single files.
		place = await guard.enter(path);
	} catch (error) {
		return refusal(path, 'access_denied', messageOf(error));
	}
	if (place === null) return refusal(path, 'not_found', 'file not found');
	// Without NONBLOCK a named pipe would hang; with NOFOLLOW a link put here since is refused.
	const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
	const handle = await open(place.real, flags);
	try {
		const stats = await handle.stat();
		if (!stats.isFile()) return refusal(path, 'not_a_file', 'it is not a file');
		if (stats.size > maxBytes) {
			return refusal(path, 'too_large', `the file has ${stats.size} bytes, more than ${maxBytes}`);
		}
		return { path, content: await handle.readFile() };
	} finally {
		await handle.close();
	}
}

function fileEntry(path: string, stats: Stats | null): BackendEntry | null {
	if (!stats?.isFile()) return null;
	const version = `${stats.mtimeMs}-${stats.ctimeMs}-${stats.size}-${stats.ino}`;
	return { path, isDirectory: false, size: stats.size, version };
}

function refusal(path: string, error: ReadErrorCode, message: string): ReadResult {
	return { path, error, message };
}

function codeOf(error: unknown): string {
	const code = (error as NodeJS.ErrnoException | null)?.code;
	return typeof code === 'string' ? code : messageOf(error);
}
