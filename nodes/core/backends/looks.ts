import { lstatSync, type Stats } from 'node:fs';

import { MAX_CACHED_SOURCES, RACY_MS } from '../limits';
import { LruMap } from '../lru';
import type { BackendEntry } from '../types';

/** What the disk said of a file or folder, and what was made of it. */
interface Look<T> {
	ino: number;
	size: number;
	mtimeMs: number;
	ctimeMs: number;
	made: T;
}

/** What is remembered of one source, so that an unchanged one costs one look at each file. */
interface Looks {
	files: Map<string, Look<BackendEntry>>;
	folders: Map<string, Look<BackendEntry[]>>;
}

const sources = new LruMap<string, Looks>(MAX_CACHED_SOURCES);

/** Gives back what is remembered of a source by its real path. */
export function looksOf(realSource: string): Looks {
	return sources.getOrCreate(realSource, () => ({ files: new Map(), folders: new Map() }));
}

/** Forgets everything. */
export function clearLooks(): void {
	sources.clear();
}

/** Gives back the entry of a regular file by its stats; while they are the same, the same object. */
export function fileEntry(looks: Looks, path: string, stats: Stats): BackendEntry {
	const known = looks.files.get(path);
	if (known && isSame(known, stats)) return known.made;
	const { mtimeMs, ctimeMs, size, ino } = stats;
	const version = `${mtimeMs}-${ctimeMs}-${size}-${ino}`;
	const made = { path, isDirectory: false, size, version };
	looks.files.set(path, { mtimeMs, ctimeMs, size, ino, made });
	return made;
}

/**
 * Gives back the listing of a folder, made anew only when something in it was added, removed or
 * renamed. The disk's clock ticks slowly: a listing made just after a change is not trusted.
 */
export function listing(
	looks: Looks,
	path: string,
	real: string,
	list: () => BackendEntry[],
): BackendEntry[] {
	const stats = lstatSync(real);
	const known = looks.folders.get(path);
	if (known && isSame(known, stats)) return known.made;
	const { mtimeMs, ctimeMs, size, ino } = stats;
	const made = list();
	// Files have versions of their own, which a folder's stats say nothing of.
	const isLasting = made.every(({ isDirectory }) => isDirectory);
	const isSettled = Date.now() - Math.max(mtimeMs, ctimeMs) > RACY_MS;
	if (isLasting && isSettled) looks.folders.set(path, { mtimeMs, ctimeMs, size, ino, made });
	else looks.folders.delete(path);
	return made;
}

function isSame<T>(known: Look<T>, stats: Stats): boolean {
	return (
		known.mtimeMs === stats.mtimeMs &&
		known.ctimeMs === stats.ctimeMs &&
		known.size === stats.size &&
		known.ino === stats.ino
	);
}
