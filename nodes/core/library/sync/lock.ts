import { randomUUID } from 'node:crypto';
import { lstatSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { codeOf } from '../../backends/guard';
import { SkillError } from '../../errors';
import {
	SYNC_LOCK_BEAT_MS,
	SYNC_LOCK_POLL_MS,
	SYNC_LOCK_SETTLE_MS,
	SYNC_LOCK_STALE_MS,
	SYNC_LOCK_WAIT_MS,
} from '../../limits';
import { newName } from './names';

/** The lock of a folder, as its holder sees it. */
export interface Lock {
	/** Throws a `SkillError` when another sync took this one for dead and has the folder now. */
	assertHeld(): void;
}

/** Runs the work while no other sync, of this process or another one, is at the same folder. */
export async function withLock<T>(data: string, work: (lock: Lock) => Promise<T>): Promise<T> {
	const path = join(data, 'lock');
	const token = randomUUID();
	await take(path, token);
	const isHeld = () => holderOf(path) === token;
	const beat = setInterval(() => isHeld() && touch(path), SYNC_LOCK_BEAT_MS);
	beat.unref();
	const assertHeld = () => {
		if (isHeld()) return;
		throw new SkillError(
			'source-unreadable',
			'Another sync took over the folder, because this one gave no sign of life.',
			'Sync again: what is missing is written then.',
		);
	};
	try {
		return await work({ assertHeld });
	} finally {
		clearInterval(beat);
		if (isHeld()) rmSync(path, { force: true });
	}
}

async function take(path: string, token: string): Promise<void> {
	let seen: string | null = null;
	let [waited, silent] = [0, 0];
	for (let last = performance.now(); !make(path, token); ) {
		// If this process stood still itself, the other one may have had no turn either.
		const passed = Math.min(performance.now() - last, SYNC_LOCK_BEAT_MS);
		last = performance.now();
		waited += passed;
		const looks = looksOf(path);
		// By what is seen here alone: clocks of other machines differ, and process numbers and host
		// names of containers are equal.
		silent = looks === seen ? silent + passed : 0;
		seen = looks;
		if (silent > SYNC_LOCK_STALE_MS && (await takeOver(path, token))) return;
		if (waited > SYNC_LOCK_WAIT_MS) {
			throw new SkillError(
				'source-unreadable',
				'Another sync has been writing to this folder for too long.',
				`If none is running, delete the file ${path}.`,
			);
		}
		await setTimeout(SYNC_LOCK_POLL_MS);
	}
}

function make(path: string, token: string): boolean {
	try {
		writeFileSync(path, JSON.stringify({ token }), { flag: 'wx' });
		return true;
	} catch (error) {
		if (codeOf(error) !== 'EEXIST') throw error;
		return false;
	}
}

/** Puts the own lock in the place of a dead one's; tells whether no other waiting sync did so too. */
async function takeOver(path: string, token: string): Promise<boolean> {
	const beside = join(dirname(path), newName('new'));
	writeFileSync(beside, JSON.stringify({ token }), { flag: 'wx' });
	renameSync(beside, path);
	// The last one has it; who had found the old lock dead at the same moment is through by then.
	await setTimeout(SYNC_LOCK_SETTLE_MS);
	return holderOf(path) === token;
}

function holderOf(path: string): string | null {
	try {
		const { token } = JSON.parse(readFileSync(path, 'utf8')) as { token?: string };
		return token ?? null;
	} catch {
		return null;
	}
}

/** Gives back what changes with every sign of life; null: there is no lock. */
function looksOf(path: string): string | null {
	const stats = lstatSync(path, { throwIfNoEntry: false });
	return stats === undefined ? null : `${holderOf(path)} ${stats.ino} ${stats.mtimeMs}`;
}

function touch(path: string): void {
	try {
		utimesSync(path, new Date(), new Date());
	} catch {
		// The folder may be gone; the sync itself will say so.
	}
}
