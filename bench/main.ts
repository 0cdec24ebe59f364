import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { ensureRuntime } from '../examples/demo/runtime';
import { measureTurns } from './queue';
import { addResults, report } from './report';

const WANTED = join(__dirname, 'package-lock.json');
const INSTALLED = join(__dirname, 'node_modules', '.package-lock.json');

/** Installs the peers once, then measures: in process on the Node.js that n8n runs on, and n8n itself. */
async function main(): Promise<number> {
	const { node } = await ensureRuntime();
	if (!existsSync(INSTALLED) || statSync(INSTALLED).mtimeMs < statSync(WANTED).mtimeMs) {
		console.log('Installing the peers into bench/node_modules (about a minute) …');
		const { status } = spawnSync('npm', ['install'], { cwd: __dirname, stdio: 'inherit' });
		if (status !== 0) return 1;
	}
	const args = ['--expose-gc', join(__dirname, 'run.js')];
	const env = { ...process.env, NODE_PATH: join(__dirname, '..', 'node_modules') };
	const { status } = spawnSync(node, args, { stdio: 'inherit', env });
	if (status !== 0) return 1;
	console.log('\nNow turns of an agent in queue mode and without (some minutes) …');
	addResults(await measureTurns());
	return report().length === 0 ? 0 : 1;
}

void main().then((code) => {
	process.exitCode = code;
});
