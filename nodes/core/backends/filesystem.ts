import { closeSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

import { messageOf, SkillError } from '../errors';
import { MAX_BUSY_MS } from '../limits';
import { isSafePath } from '../path';
import type { BackendEntry, ReadErrorCode, ReadResult, SkillBackend, TakeHead } from '../types';
import { codeOf, Guard, isAbsent, type FilesystemOptions, type Place } from './guard';
import { Heads } from './heads';
import { listing } from './looks';
import { FLAGS, openOrNull, readBytes } from './open';

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
	let heads: Heads | null = null;
	try {
		for (const path of paths) {
			if (pause.isDue()) await pause.take();
			// One guarded look at the source serves all files in it.
			const own = guard.sourceOf(path);
			if (own !== source) {
				await heads?.handOn();
				const place: Place | null = own === undefined ? null : await guard.enter(own);
				heads = place && new Heads(guard, place, take);
			}
			source = own;
			const known = heads ? guard.peek(heads.place, path) : null;
			if (known === undefined && heads?.isFull) await heads.handOn();
			found.push(known === undefined ? (heads as Heads).open(path) : known);
		}
		await heads?.handOn();
		return found;
	} finally {
		heads?.close();
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

function refusal(path: string, error: ReadErrorCode, message: string): ReadResult {
	return { path, error, message };
}
