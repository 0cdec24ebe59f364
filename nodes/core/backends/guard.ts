import { lstatSync, readlinkSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs';

import { messageOf, SkillError } from '../errors';
import { isInside, isSafeName, isSafePath, joinPath, safeAbsolutePath } from '../path';
import type { BackendEntry } from '../types';
import { fileEntry, looksOf } from './looks';

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

/** A folder or file that was found to be inside its source. */
export interface Place {
	/** Path in the backend. */
	path: string;
	real: string;
	/** Path in the backend, and real path, of the source that contains it. */
	source: string;
	realSource: string;
	/** What is remembered of that source. */
	looks: ReturnType<typeof looksOf>;
}

/** Where Linux shows what each open file really is. */
const OPENED = '/proc/self/fd';
const NO_THROW = { throwIfNoEntry: false } as const;
const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

/** The one place that decides what of the disk may be seen. */
export class Guard {
	/** Real paths of the sources; one instance serves one call of a node. */
	private readonly realSources = new Map<string, string | null>();

	constructor(private readonly options: FilesystemOptions) {}

	/**
	 * Gives back the real place, null when it is absent; throws when it is forbidden. Of a file that
	 * is open already its descriptor says where it really is.
	 */
	async enter(path: string, opened?: number): Promise<Place | null> {
		const safe = safeAbsolutePath(path);
		const source = safe === null ? undefined : this.sourceOf(safe);
		if (safe === null || source === undefined) {
			throw new SkillError('source-blocked', 'The path is outside of the sources.');
		}
		const realSource = this.realSource(source);
		const real = safe === source ? realSource : this.realOf(safe, opened);
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
		return { path: safe, real, source, realSource, looks: looksOf(realSource) };
	}

	/** Gives back what a folder's entry is; a link is followed only inside its source. */
	entry(place: Place, name: Dirent): BackendEntry | null {
		if (!isSafeName(name.name)) return null;
		const path = joinPath(place.path, name.name);
		if (name.isDirectory()) return { path, isDirectory: true };
		const real = joinPath(place.real, name.name);
		const ownStats = name.isFile() ? tryTo(() => lstatSync(real, NO_THROW)) : null;
		if (ownStats) return regularFile(place, path, ownStats);
		if (!name.isSymbolicLink()) return null;
		const target = tryTo(() => realpathSync.native(real));
		if (target === null) return null;
		if (!isInside(target, place.realSource)) {
			return { path, isDirectory: false, refused: 'link-outside' };
		}
		const stats = tryTo(() => statSync(target));
		return stats?.isDirectory() ? { path, isDirectory: true } : regularFile(place, path, stats);
	}

	/** Gives back a file that is plainly there, by one look; null: list its folder to know more. */
	peek(place: Place, path: string): BackendEntry | null {
		const isPlain = path.startsWith(`${place.path}/`) && !path.includes('..');
		if (!isPlain && !(isSafePath(path) && isInside(path, place.path))) return null;
		const real = place.real + path.slice(place.path === '/' ? 0 : place.path.length);
		const stats = tryTo(() => lstatSync(real, NO_THROW));
		return regularFile(place, path, stats);
	}

	/** The innermost source: one inside another may itself be a link to elsewhere. */
	sourceOf(path: string): string | undefined {
		const [first, ...others] = this.options.sources;
		if (others.length === 0)
			return first !== undefined && isInside(path, first) ? first : undefined;
		const containing = this.options.sources.filter((source) => isInside(path, source));
		return containing.sort((a, b) => b.length - a.length)[0];
	}

	private realSource(source: string): string | null {
		const known = this.realSources.get(source);
		if (known !== undefined) return known;
		const real = this.real(source);
		this.realSources.set(source, real);
		return real;
	}

	/** Gives back a backend's path as the disk knows it, links not followed. */
	onDisk(path: string): string {
		const { root } = this.options;
		return path === '/' ? root || '/' : root + path;
	}

	private realOf(path: string, opened: number | undefined): string | null {
		const link = opened === undefined ? null : tryTo(() => readlinkSync(`${OPENED}/${opened}`));
		return link ?? this.real(path);
	}

	private real(path: string): string | null {
		try {
			return realpathSync.native(this.onDisk(path));
		} catch (error) {
			if (ABSENT.has(codeOf(error))) return null;
			throw new SkillError('source-unreadable', `It cannot be opened (${codeOf(error)}).`);
		}
	}
}

function regularFile(place: Place, path: string, stats: Stats | null | undefined) {
	return stats?.isFile() ? fileEntry(place.looks, path, stats) : null;
}

function tryTo<T>(action: () => T): T | null {
	try {
		return action();
	} catch {
		return null;
	}
}

/** Tells whether an error of the disk means that nothing is there. */
export function isAbsent(error: unknown): boolean {
	return ABSENT.has(codeOf(error));
}

/** Gives back the code of an error of the disk. */
export function codeOf(error: unknown): string {
	const code = (error as NodeJS.ErrnoException | null)?.code;
	return typeof code === 'string' ? code : messageOf(error);
}
