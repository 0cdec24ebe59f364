import { randomUUID } from 'node:crypto';
import { lstatSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { codeOf } from '../../backends/guard';
import { SkillError } from '../../errors';
import { SYNC_LOCK_POLL_MS, SYNC_LOCK_STALE_MS, SYNC_LOCK_WAIT_MS } from '../../limits';
import { newName } from './names';

const held = new Set<string>();

interface Holder {
	token: string;
	host: string;
	pid: number;
}

/** Runs the work while no other sync, of this process or another one, is at the same folder. */
export async function withLock<T>(data: string, work: () => Promise<T>): Promise<T> {
	const path = join(data, 'lock');
	const token = randomUUID();
	await take(path, token);
	const beat = setInterval(() => touch(path), SYNC_LOCK_STALE_MS / 6);
	beat.unref();
	try {
		return await work();
	} finally {
		clearInterval(beat);
		if (holderOf(path)?.token === token) rmSync(path, { force: true });
		held.delete(token);
	}
}

async function take(path: string, token: string): Promise<void> {
	const deadline = Date.now() + SYNC_LOCK_WAIT_MS;
	const text = JSON.stringify({ token, host: hostname(), pid: process.pid });
	for (;;) {
		held.add(token);
		try {
			writeFileSync(path, text, { flag: 'wx' });
			return;
		} catch (error) {
			held.delete(token);
			if (codeOf(error) !== 'EEXIST') throw error;
		}
		if (breakStale(path)) continue;
		if (Date.now() > deadline) {
			throw new SkillError(
				'source-unreadable',
				'Another sync has been writing to this folder for too long.',
				`If none is running, delete the file ${path}.`,
			);
		}
		await setTimeout(SYNC_LOCK_POLL_MS);
	}
}

/** Takes away the lock of one that died; tells whether it did. */
function breakStale(path: string): boolean {
	const holder = holderOf(path);
	if (!isStale(path, holder)) return false;
	const aside = join(dirname(path), newName('old'));
	try {
		renameSync(path, aside);
		// Somebody was quicker, and this is the lock of a living one.
		if (holderOf(aside)?.token !== holder?.token) renameSync(aside, path);
		else rmSync(aside, { force: true });
	} catch (error) {
		if (codeOf(error) !== 'ENOENT') throw error;
	}
	return true;
}

function isStale(path: string, holder: Holder | null): boolean {
	const stats = lstatSync(path, { throwIfNoEntry: false });
	if (stats === undefined) return false;
	if (Date.now() - stats.mtimeMs > SYNC_LOCK_STALE_MS) return true;
	if (holder === null || holder.host !== hostname()) return false;
	// A process that was started again, as containers are, may have the number of the dead one.
	if (holder.pid === process.pid) return !held.has(holder.token);
	try {
		process.kill(holder.pid, 0);
		return false;
	} catch (error) {
		return codeOf(error) === 'ESRCH';
	}
}

function holderOf(path: string): Holder | null {
	try {
		return JSON.parse(readFileSync(path, 'utf8')) as Holder;
	} catch {
		return null;
	}
}

function touch(path: string): void {
	try {
		utimesSync(path, new Date(), new Date());
	} catch {
		// The folder may be gone; the sync itself will say so.
	}
}
