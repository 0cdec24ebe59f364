import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { freePort, LOOPBACK } from '../../../../examples/demo/ports';
import { hasProgram } from '../../../../examples/demo/process';
import { type Service, startService, waitForPort } from './service';

const INSTALL = 'apt-get install -y redis-server';
const INSTALL_AT_MOST_MS = 300_000;

/** A Redis of its own, which keeps nothing on disk. */
export interface Redis extends Service {
	host: string;
	port: number;
}

/** Starts a new Redis. */
export async function startRedis(folder: string): Promise<Redis> {
	ensureRedis();
	const port = (await freePort()) as number;
	const quiet = ['--save', '', '--appendonly', 'no', '--dir', folder];
	const args = ['--port', String(port), '--bind', LOOPBACK, ...quiet];
	const child = spawn('redis-server', args, { cwd: folder, stdio: 'ignore' });
	await waitForPort(port, child);
	return { host: LOOPBACK, port, ...startService(child, 'SIGTERM') };
}

function ensureRedis(): void {
	if (hasProgram('redis-server')) return;
	if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
		const script = `apt-get update && ${INSTALL}`;
		spawnSync('sh', ['-c', script], { stdio: 'ignore', timeout: INSTALL_AT_MOST_MS });
	}
	if (hasProgram('redis-server')) return;
	throw new Error(
		`The tests of queue mode need Redis. Install it (Debian, Ubuntu: sudo ${INSTALL}).`,
	);
}
