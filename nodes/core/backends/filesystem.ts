import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

import { messageOf, SkillError } from '../errors';
import { HEAD_BYTES, MAX_BUSY_MS, MAX_SKILL_FILE_BYTES } from '../limits';
import { isSafePath } from '../path';
import type { BackendEntry, ReadErrorCode, ReadResult, SkillBackend, TakeHead } from '../types';
import { codeOf, Guard, isAbsent, regularFile, type FilesystemOptions, type Place } from './guard';
import { listing } from './looks';

export type { FileAccess, FilesystemOptions } from './guard';

// Where names differ only by case the disk may say yes to "SKILL.md" for "skill.md".
const CAN_PEEK = process.platform === 'linux';

/**
 * Gives back a backend over folders of the disk. It asks the disk synchronously, a few files at a
 * time with pauses between: the time is then that of the disk, not of a queue of threads.
 */
export function createFilesystemBackend(options: FilesystemOptions): SkillBackend {
	const guard = new Guard(options);
	return {
		id: `filesystem:${options.root}`,
		location: options.root,

		async list(dir) {
			const place = await guard.enter(dir);
			return place && entriesIn(guard, place);
		},

		async read(paths, maxBytes) {
			const results: ReadResult[] = [];
			const pause = createPause();
			for (const path of paths) {
				if (pause.isDue()) await pause.take();
				results.push(await readOrRefuse(guard, path, maxBytes));
			}
			return results;
		},

		...(CAN_PEEK ? { peek: async (paths, take) => await peekAll(guard, paths, take) } : {}),
	};
}

function entriesIn(guard: Guard, place: Place): BackendEntry[] | null {
	try {
		return listing(place.looks, place.path, place.real, () => {
			const names = readdirSync(place.real, { withFileTypes: true });
			names.sort((a, b) => (a.name < b.name ? -1 : 1));
			return names.flatMap((name) => guard.entry(place, name) ?? []);
		});
	} catch (error) {
		if (codeOf(error) === 'ENOTDIR')
			throw new SkillError('source-not-folder', 'It is not a folder.');
		if (isAbsent(error)) return null;
		throw new SkillError('source-unreadable', `It cannot be listed (${codeOf(error)}).`);
	}
}

async function peekAll(
	guard: Guard,
	paths: string[],
	take: TakeHead,
): Promise<Array<BackendEntry | null>> {
	const found: Array<BackendEntry | null> = [];
	const pause = createPause();
	let source: string | undefined;
	let place: Place | null = null;
	for (const path of paths) {
		if (pause.isDue()) await pause.take();
		// One guarded look at the source serves all files in it.
		const own = guard.sourceOf(path);
		if (own !== source) place = own === undefined ? null : await guard.enter(own);
		source = own;
		const known = place ? guard.peek(place, path) : null;
		const head = known === undefined ? openHead(guard, place as Place, path) : { entry: known };
		found.push(head.entry);
		if (head.file === undefined) continue;
		try {
			const answer = guard.mayRead(place as Place, path, head.file);
			// n8n answers at once; to wait for it all the same would cost as much as opening the file.
			const mayRead = typeof answer === 'boolean' ? answer : await answer;
			if (mayRead) take(head.entry, readBytes(head.file, HEAD));
		} finally {
			closeSync(head.file);
		}
	}
	return found;
}

// Filled and used up without a pause in between, so one serves all.
const HEAD = Buffer.allocUnsafeSlow(HEAD_BYTES);

/** A file that was looked at; it is open when its head may be wanted. */
type Head = { entry: BackendEntry; file: number } | { entry: BackendEntry | null; file?: undefined };

/** Opens a file that was not met before, as it is. */
function openHead(guard: Guard, place: Place, path: string): Head {
	const file = openOrNull(guard.onDisk(path));
	if (file === null) return { entry: guard.absent(place, path) };
	let isWanted = false;
	try {
		const stats = fstatSync(file);
		const entry = regularFile(place, path, stats);
		isWanted = entry !== null && stats.size <= MAX_SKILL_FILE_BYTES;
		return entry && isWanted ? { entry, file } : { entry };
	} finally {
		if (!isWanted) closeSync(file);
	}
}

const FILES_PER_CLOCK = 8;

/** Gives back when to let other work of n8n have its turn, however slow the disk is. */
function createPause() {
	let since = performance.now();
	let asked = 0;
	return {
		// The clock costs as much as a part of what it measures, so it is not asked each time.
		isDue: () => ++asked % FILES_PER_CLOCK === 0 && performance.now() - since > MAX_BUSY_MS,
		take: async () => {
			await setImmediate();
			since = performance.now();
		},
	};
}

// Without NONBLOCK a named pipe would hang; a link is not followed before it was looked at.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function readOrRefuse(guard: Guard, path: string, maxBytes: number): Promise<ReadResult> {
	try {
		return await readOne(guard, path, maxBytes);
	} catch (error) {
		return refusal(path, isAbsent(error) ? 'not_found' : 'unreadable', codeOf(error));
	}
}

async function readOne(guard: Guard, path: string, maxBytes: number): Promise<ReadResult> {
	if (!isSafePath(path)) return refusal(path, 'unsafe_path', 'the path is not allowed');
	const opened = openOrNull(guard.onDisk(path));
	try {
		// The file itself, not only its folder: patterns of n8n may forbid single files. What is open
		// can no longer be exchanged for something else after it was looked at.
		const place = await guard.enter(path, opened ?? undefined);
		if (place === null) return refusal(path, 'not_found', 'file not found');
		return opened === null ? readLinked(place, maxBytes) : readOpened(path, opened, maxBytes);
	} catch (error) {
		if (error instanceof SkillError) return refusal(path, 'access_denied', messageOf(error));
		throw error;
	} finally {
		if (opened !== null) closeSync(opened);
	}
}

/** Gives back an open file, null when it is a link, absent or not to be opened like this. */
function openOrNull(path: string): number | null {
	try {
		return openSync(path, FLAGS);
	} catch {
		return null;
	}
}

/** Reads what a link inside the source points to. */
function readLinked({ path, real }: Place, maxBytes: number): ReadResult {
	const file = openSync(real, FLAGS);
	try {
		return readOpened(path, file, maxBytes);
	} finally {
		closeSync(file);
	}
}

function readOpened(path: string, file: number, maxBytes: number): ReadResult {
	const stats = fstatSync(file);
	if (!stats.isFile()) return refusal(path, 'not_a_file', 'it is not a file');
	if (stats.size > maxBytes) {
		return refusal(path, 'too_large', `the file has ${stats.size} bytes, more than ${maxBytes}`);
	}
	return { path, content: readBytes(file, Buffer.allocUnsafe(stats.size)) };
}

/** Fills a buffer from an open file; gives back less where the file is shorter, or shrinks. */
function readBytes(file: number, buffer: Buffer): Uint8Array {
	let filled = 0;
	while (filled < buffer.length) {
		const amount = readSync(file, buffer, filled, buffer.length - filled, filled);
		if (amount === 0) break;
		filled += amount;
	}
	return filled === buffer.length ? buffer : buffer.subarray(0, filled);
}

function refusal(path: string, error: ReadErrorCode, message: string): ReadResult {
	return { path, error, message };
}
