import { existsSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

import { DemoError, hasProgram, run } from './process';
import type { CommandResult } from './process';
import { showProgress } from './progress';
import { assertRegistryAnswers, isNetworkError, unreachable } from './registry';
import type { Runtime } from './runtime';

const NEEDED_BYTES = 4 * 1024 ** 3;
const TAIL_LINES = 25;

/** The environment in which n8n's own Node.js comes first, as n8n starts further processes by name. */
export function runtimeEnvironment(runtime: Runtime): NodeJS.ProcessEnv {
	const path = `${dirname(runtime.node)}${delimiter}${process.env.PATH ?? ''}`;
	return { ...process.env, PATH: path };
}

/** Installs what the lock file names into the folder. */
export async function installPackages(folder: string): Promise<void> {
	if (!hasProgram('npm') && process.platform !== 'win32') {
		throw new DemoError('npm was not found. It comes with Node.js: https://nodejs.org');
	}
	await assertSpace(folder);
	const count = countPackages(folder);
	await assertRegistryAnswers(folder);
	const stop = showProgress('npm install', count);
	// Not `npm ci`: it refuses lock files that name optional packages of other platforms.
	const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
	const result = await run('npm', ['install', ...flags], { cwd: folder }).finally(stop);
	if (result.code !== 0) throw new DemoError(explainNpm(result));
}

/** Builds the one native module that n8n cannot start without. */
export async function rebuildSqlite(runtime: Runtime): Promise<void> {
	const stop = showProgress('Building sqlite3 for this Node.js');
	const env = runtimeEnvironment(runtime);
	if (runtime.nodeHeaders !== null) env.npm_config_nodedir = runtime.nodeHeaders;
	const args = ['rebuild', 'sqlite3', '--ignore-scripts=false'];
	const result = await run('npm', args, { cwd: runtime.folder, env }).finally(stop);
	if (result.code !== 0) throw new DemoError(explainBuild(result));
}

/** The version that the installed n8n says it is. */
export async function proveItRuns(runtime: Runtime): Promise<string> {
	const script = "require('sqlite3'); console.log(require('n8n/package.json').version)";
	const options = { cwd: runtime.folder, env: runtimeEnvironment(runtime) };
	const result = await run(runtime.node, ['-e', script], options);
	if (result.code !== 0) throw new DemoError(`n8n was installed, but fails:\n${tail(result)}`);
	return result.output.trim();
}

/** Throws when the disk of the folder has too little space left for n8n. */
export async function assertSpace(folder: string, neededBytes = NEEDED_BYTES): Promise<void> {
	const { bavail, bsize } = await statfs(folder);
	if (bavail * bsize > neededBytes) return;
	const [free, needed] = [bavail * bsize, neededBytes].map((n) => (n / 1024 ** 3).toFixed(1));
	throw new DemoError(
		`Not enough disk space at ${folder}: ${free} GB free, n8n needs ${needed} GB. ` +
			'Set AGENT_SKILLS_CACHE to a folder on a larger disk.',
	);
}

function countPackages(folder: string): () => string {
	const lock = readLock(join(folder, 'package-lock.json'));
	const files = Object.entries(lock.packages)
		.filter(([path, entry]) => path !== '' && entry.optional !== true)
		.map(([path]) => join(folder, path, 'package.json'));
	return () => `${files.filter((file) => existsSync(file)).length} of ${files.length} packages`;
}

// npm would go on without a lock file that it cannot read, and bring whatever is newest.
function readLock(file: string): { packages: Record<string, { optional?: boolean }> } {
	try {
		return JSON.parse(readFileSync(file, 'utf8'));
	} catch {
		throw new DemoError(
			'The lock file of n8n, examples/demo/n8n/package-lock.json, is damaged. ' +
				'Restore it: git checkout examples/demo/n8n',
		);
	}
}

/** Says in plain words why npm could not install n8n. */
export function explainNpm(result: CommandResult): string {
	const { output } = result;
	if (/ENOSPC/.test(output)) {
		return 'The disk became full while n8n was being installed. Free some space and start again.';
	}
	if (isNetworkError(output)) return unreachable(output);
	if (/EACCES|EPERM/.test(output)) {
		return `npm may not write there. Set AGENT_SKILLS_CACHE to a folder of yours.\n${tail(result)}`;
	}
	return `npm install failed; the next start tries again.\n${tail(result)}`;
}

function explainBuild(result: CommandResult): string {
	const missing = ['python3', 'make', 'g++'].filter((name) => !hasProgram(name));
	if (missing.length === 0) return `sqlite3 could not be built:\n${tail(result)}`;
	const command =
		process.platform === 'darwin'
			? 'xcode-select --install'
			: 'sudo apt-get install python3 make g++  (Debian, Ubuntu; other systems: the same tools)';
	return `sqlite3 has to be built, and this is missing: ${missing.join(', ')}. Install with:\n  ${command}`;
}

function tail(result: CommandResult): string {
	return result.output.trim().split('\n').slice(-TAIL_LINES).join('\n');
}
