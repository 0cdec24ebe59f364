import type { Demo } from './demo';
import { DemoError } from './process';

/** Starts the demo, stops it on Ctrl-C, and explains what goes wrong in plain words. */
export function runUntilStopped(start: () => Promise<Demo>): void {
	let demo: Demo | null = null;
	let stopping = false;
	const stop = (): void => {
		// The second Ctrl-C does not wait: what was started ends with this process.
		if (stopping || demo === null) process.exit(130);
		stopping = true;
		console.log('\n  Stopping …');
		demo.stop().then(
			() => process.exit(0),
			(error: unknown) => fail(error),
		);
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
