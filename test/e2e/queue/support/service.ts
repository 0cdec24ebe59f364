import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

import { LOOPBACK } from '../../../../examples/demo/ports';
import { sleep } from '../../../../examples/demo/process';

const READY_AT_MOST_MS = 30_000;
const POLL_MS = 50;

/** A program that runs beside n8n. */
export interface Service {
	stop(): Promise<void>;
}

/** Gives back what ends a program; it ends with this process too. */
export function startService(child: ChildProcess, signal: NodeJS.Signals): Service {
	const kill = () => child.kill('SIGKILL');
	process.once('exit', kill);
	return {
		async stop() {
			process.removeListener('exit', kill);
			if (child.exitCode !== null || child.signalCode !== null) return;
			const ended = once(child, 'exit');
			child.kill(signal);
			await ended;
		},
	};
}

/** Waits until something listens on the port. */
export async function waitForPort(port: number, child: ChildProcess): Promise<void> {
	const deadline = Date.now() + READY_AT_MOST_MS;
	while (!(await isOpen(port))) {
		if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended while starting`);
		if (Date.now() > deadline) throw new Error(`${child.spawnfile} did not start`);
		await sleep(POLL_MS);
	}
}

async function isOpen(port: number): Promise<boolean> {
	const socket = connect(port, LOOPBACK);
	const open = await new Promise<boolean>((resolve) => {
		socket.once('connect', () => resolve(true));
		socket.once('error', () => resolve(false));
	});
	socket.destroy();
	return open;
}
