import type { Demo } from './demo';
import { DemoError } from './process';

// On Ctrl-C the terminal signals this process, and npm may hand on the signal that it got itself.
const ONE_PRESS_MS = 1_000;

/** Starts the demo, stops it on Ctrl-C, and explains what goes wrong in plain words. */
export function runUntilStopped(start: () => Promise<Demo>): void {
	let demo: Demo | null = null;
	let stoppingSince: number | null = null;
	const stop = (): void => {
		if (stoppingSince !== null && Date.now() - stoppingSince < ONE_PRESS_MS) return;
		// The second Ctrl-C does not wait: what was started ends with this process.
		if (stoppingSince !== null || demo === null) process.exit(130);
		stoppingSince = Date.now();
		console.log('\n  Stopping …');
		demo.stop().then(() => {
			console.log('  Stopped.');
			process.exit(0);
		}, fail);
	};
	process.on('SIGINT', stop);
	process.on('SIGTERM', stop);
	process.on('SIGHUP', stop);
	start().then((started) => {
		demo = started;
	}, fail);
}

function fail(error: unknown): void {
	const plain = error instanceof DemoError ? error.message : error;
	console.error('\n', plain);
	process.exit(1);
}
