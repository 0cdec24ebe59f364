import { lstatSync, readlinkSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs';

import { messageOf, SkillError } from '../errors';
import { isInside, isSafeName, isSafePath, joinPath, parentOf, safeAbsolutePath } from '../path';
import type { BackendEntry } from '../types';
import { fileEntry, isSame, looksOf, noteAbsent } from './looks';

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
		if (stats?.isDirectory()) return { path, isDirectory: true, isLink: true };
		return regularFile(place, path, stats);
	}

	/**
	 * Gives back a file that was met before and did not change, by one look; null: it is not plainly
	 * there, list its folder to know more; undefined: open it.
	 */
	peek(place: Place, path: string): BackendEntry | null | undefined {
		const known = place.looks.files.get(path);
		// What is remembered was found to be safe before.
		if (known === undefined) return isSafePath(path) && isInside(path, place.path) ? known : null;
		try {
			const stats = lstatSync(inPlace(place, path), NO_THROW);
			if (stats?.isFile()) return known && isSame(known, stats) ? known : undefined;
		} catch {
			// What is no folder has no file in it.
		}
		return this.absent(place, path);
	}

	/** Remembers that a file is not plainly there: the next look at it need not open anything. */
	absent({ looks }: Place, path: string): null {
		noteAbsent(looks, path);
		return null;
	}

	/** Tells whether the folders in a source are those that its listing found, none of them a link. */
	hasNoLinks({ looks, path, real }: Place): boolean {
		const listed = looks.folders.get(path);
		const stats = listed?.hasNoLinks ? tryTo(() => lstatSync(real)) : null;
		return listed !== undefined && stats !== null && isSame(listed, stats);
	}

	/**
	 * Tells whether an open file is inside its source and n8n lets nodes read it. `isPlain`: neither
	 * the source's own folders nor those above it are links.
	 */
	mayRead(
		place: Place,
		path: string,
		opened: number,
		isPlain: boolean,
	): boolean | Promise<boolean> {
		const { realSource } = place;
		try {
			const isWhereItSeems = isPlain && parentOf(parentOf(path)) === place.path;
			const real = isWhereItSeems ? inPlace(place, path) : this.realOf(path, opened);
			if (real === null || !isInside(real, realSource)) return false;
			const answer = this.options.access.isBlocked(real);
			if (typeof answer === 'boolean') return !answer;
			return answer.then(
				(isBlocked) => !isBlocked,
				() => false,
			);
		} catch {
			return false;
		}
	}

	/** The innermost source: one inside another may itself be a link to elsewhere. */
	sourceOf(path: string): string | undefined {
		let innermost: string | undefined;
		for (const source of this.options.sources) {
			if (isInside(path, source) && source.length >= (innermost?.length ?? 0)) innermost = source;
		}
		return innermost;
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

/** Gives back where a path is on the disk, if no link is on the way to it. */
export function inPlace({ real, path: folder }: Place, path: string): string {
	return real === folder ? path : real + path.slice(folder === '/' ? 0 : folder.length);
}

/** Gives back the entry of what the disk says is a regular file, else null. */
export function regularFile(
	place: Place,
	path: string,
	stats: Stats | null | undefined,
): BackendEntry | null {
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
