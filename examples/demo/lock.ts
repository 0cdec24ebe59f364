import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { DemoError, isAlive, sleep } from './process';

const WAIT_AT_MOST_MS = 30 * 60_000;
const POLL_MS = 500;
// Between making the folder and writing the id into it, the owner is not known yet.
const NAMELESS_GRACE_MS = 5_000;

/** Runs the work while holding a lock folder, so that two processes never do it at once. */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
	const release = await waitForLock(folder);
	try {
		return await work();
	} finally {
		release();
	}
}

/** Takes a lock folder and gives back what releases it; null when a living process holds it. */
export function tryLock(folder: string): (() => void) | null {
	mkdirSync(dirname(folder), { recursive: true });
	if (isStale(folder)) rmSync(folder, { recursive: true, force: true });
	try {
		mkdirSync(folder);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
		throw error;
	}
	writeFileSync(join(folder, 'pid'), String(process.pid));
	const release = () => rmSync(folder, { recursive: true, force: true });
	process.once('exit', release);
	return () => {
		process.removeListener('exit', release);
		release();
	};
}

async function waitForLock(folder: string): Promise<() => void> {
	const deadline = Date.now() + WAIT_AT_MOST_MS;
	let announced = false;
	for (;;) {
		const release = tryLock(folder);
		if (release !== null) return release;
		if (Date.now() > deadline) {
			throw new DemoError(
				`Another process has held ${folder} for too long. Delete it if none runs.`,
			);
		}
		if (!announced) console.log('  Another process is at this already: waiting for it …');
		announced = true;
		await sleep(POLL_MS);
	}
}

function isStale(folder: string): boolean {
	try {
		return !isAlive(Number(readFileSync(join(folder, 'pid'), 'utf8')));
	} catch {
		try {
			return Date.now() - statSync(folder).mtimeMs > NAMELESS_GRACE_MS;
		} catch {
			return false;
		}
	}
}
