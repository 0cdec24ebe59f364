import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { ensureRuntime } from '../examples/demo/runtime';
import { benchQueue } from './queue';

const WANTED = join(__dirname, 'package-lock.json');
const INSTALLED = join(__dirname, 'node_modules', '.package-lock.json');

/** Installs the peers once, then runs the benchmark on the Node.js that n8n runs on. */
async function main(): Promise<number> {
	const { node } = await ensureRuntime();
	if (!existsSync(INSTALLED) || statSync(INSTALLED).mtimeMs < statSync(WANTED).mtimeMs) {
		console.log('Installing the peers into bench/node_modules (about a minute) …');
		const { status } = spawnSync('npm', ['install'], { cwd: __dirname, stdio: 'inherit' });
		if (status !== 0) return 1;
	}
	const args = ['--expose-gc', join(__dirname, 'run.js')];
	const env = { ...process.env, NODE_PATH: join(__dirname, '..', 'node_modules') };
	const status = spawnSync(node, args, { stdio: 'inherit', env }).status ?? 1;
	return status || (await benchQueue());
}

void main().then((code) => {
	process.exitCode = code;
});
