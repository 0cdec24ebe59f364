import { lstatSync, type Stats } from 'node:fs';

import { MAX_CACHED_SOURCES, MAX_LOOKS_PER_SOURCE, RACY_MS, RACY_SECONDS_MS } from '../limits';
import { LruMap } from '../lru';
import type { BackendEntry } from '../types';

/** By what the disk tells whether a file or folder is as it was. */
type Stamp = Pick<Stats, 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>;

/** What is remembered of one source, so that an unchanged one costs one look at each file. */
interface Looks {
	/** Null: it was not there, or no regular file. */
	files: Map<string, (BackendEntry & Stamp) | null>;
	folders: Map<string, Stamp & { made: BackendEntry[]; hasNoLinks: boolean }>;
}

const sources = new LruMap<string, Looks>(MAX_CACHED_SOURCES);
let looked = 0;

/** Gives back what is remembered of a source by its real path. */
export function looksOf(realSource: string): Looks {
	return sources.getOrCreate(realSource, () => ({ files: new Map(), folders: new Map() }));
}

/** Forgets everything. */
export function clearLooks(): void {
	sources.clear();
}

/**
 * Gives back the entry of a regular file by its stats; while they are the same, the same object. Its
 * version is that of this look: one that is not remembered has another next time, and is read again.
 */
export function fileEntry(looks: Looks, path: string, stats: Stats): BackendEntry {
	const known = looks.files.get(path);
	if (known && isSame(known, stats)) return known;
	const { ino, size, mtimeMs, ctimeMs } = stats;
	const version = String(++looked);
	const made = { path, isDirectory: false, size, version, ino, mtimeMs, ctimeMs };
	remember(looks.files, path, isSettled(stats) ? made : undefined);
	return made;
}

/** Remembers that there was no regular file at a path. */
export function noteAbsent(looks: Looks, path: string): void {
	remember(looks.files, path, null);
}

function remember<T>(map: Map<string, T>, path: string, look: T | undefined): void {
	// Names that come and go must not fill the memory; to forget all costs one reading of all.
	if (map.size >= MAX_LOOKS_PER_SOURCE) map.clear();
	if (look === undefined) map.delete(path);
	else map.set(path, look);
}

/**
 * Gives back the listing of a folder, made anew only when something in it was added, removed or
 * renamed.
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
	const hasNoLinks = made.every(({ isLink }) => !isLink);
	const look = { mtimeMs, ctimeMs, size, ino, made, hasNoLinks };
	remember(looks.folders, path, isLasting && isSettled(stats) ? look : undefined);
	return made;
}

/**
 * Tells whether a change after this look would show. The disk's clock ticks slowly, so one within
 * the same tick would not. Nobody can set back `ctime`, as one can `mtime`.
 */
export function isSettled({ ctimeMs }: Stamp): boolean {
	const tick = ctimeMs % 1000 === 0 ? RACY_SECONDS_MS : RACY_MS;
	return Date.now() - ctimeMs > tick;
}

/** Tells whether a file or folder is as it was. */
export function isSame(known: Stamp, stats: Stamp): boolean {
	return (
		known.mtimeMs === stats.mtimeMs &&
		known.ctimeMs === stats.ctimeMs &&
		known.size === stats.size &&
		known.ino === stats.ino
	);
}
