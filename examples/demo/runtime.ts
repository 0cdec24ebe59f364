import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { installPackages, proveItRuns, rebuildSqlite } from './install';
import { withLock } from './lock';
import { DemoError } from './process';

const PINNED = join(__dirname, 'n8n');
const PINNED_FILES = ['package.json', 'package-lock.json', '.npmrc'];
const HASH_CHARACTERS = 12;
const OLDEST_NODE_FOR_N8N = 24;
const READY_FILE = 'ready.json';

/** A pinned n8n on this machine, and the Node.js that runs it. */
export interface Runtime {
	folder: string;
	/** The Node.js binary that n8n asks for. */
	node: string;
	/** The folder with that Node's headers, where its package ships them. */
	nodeHeaders: string | null;
	/** n8n's start script. */
	n8n: string;
}

/** The pinned n8n, installed into a cache folder of its own first if it is not there yet. */
export async function ensureRuntime(): Promise<Runtime> {
	const folder = join(cacheRoot(), runtimeKey());
	if (existsSync(join(folder, READY_FILE))) return describeRuntime(folder);
	return await withLock(`${folder}.lock`, async () => {
		if (!existsSync(join(folder, READY_FILE))) await install(folder);
		return describeRuntime(folder);
	});
}

/** Where installed runtimes are kept: AGENT_SKILLS_CACHE, else a folder in the user's cache. */
export function cacheRoot(): string {
	const base = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
	return process.env.AGENT_SKILLS_CACHE ?? join(base, 'n8n-nodes-agent-skills');
}

async function install(folder: string): Promise<void> {
	const started = Date.now();
	const partial = `${folder}.partial`;
	console.log(`Installing n8n for the demo and the tests, once, into ${folder}`);
	prepare(partial);
	await installPackages(partial);
	const runtime = describeRuntime(partial);
	await rebuildSqlite(runtime);
	const version = await proveItRuns(runtime);
	const seconds = Math.round((Date.now() - started) / 1000);
	writeFileSync(join(partial, READY_FILE), JSON.stringify({ version, seconds }));
	// A half-made folder never gets the final name, so its presence means that all is there.
	rmSync(folder, { recursive: true, force: true });
	renameSync(partial, folder);
	console.log(`n8n ${version} is ready after ${seconds} s`);
}

function prepare(partial: string): void {
	// npm writes this file last: without it the tree may hold half-unpacked packages.
	if (!existsSync(join(partial, 'node_modules', '.package-lock.json'))) {
		rmSync(partial, { recursive: true, force: true });
	}
	mkdirSync(partial, { recursive: true });
	for (const file of PINNED_FILES) {
		writeFileSync(join(partial, file), readFileSync(join(PINNED, file)));
	}
}

function runtimeKey(): string {
	const hash = createHash('sha256');
	for (const file of PINNED_FILES) hash.update(readFileSync(join(PINNED, file)));
	hash.update(`${process.platform} ${process.arch}`);
	return hash.digest('hex').slice(0, HASH_CHARACTERS);
}

function describeRuntime(folder: string): Runtime {
	const n8n = join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
	const prefix = `${process.platform}-${process.arch}` === 'darwin-arm64' ? 'node-bin' : 'node';
	const system = process.platform === 'win32' ? 'win' : process.platform;
	const packaged = join(folder, 'node_modules', `${prefix}-${system}-${process.arch}`);
	const binary = join(packaged, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
	if (existsSync(binary)) {
		const nodeHeaders = existsSync(join(packaged, 'include', 'node')) ? packaged : null;
		return { folder, node: binary, nodeHeaders, n8n };
	}
	if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE_FOR_N8N) {
		return { folder, node: process.execPath, nodeHeaders: null, n8n };
	}
	throw new DemoError(
		`npm has no Node.js ${OLDEST_NODE_FOR_N8N} for ${process.platform} ${process.arch}. ` +
			`n8n needs it: start this with Node.js ${OLDEST_NODE_FOR_N8N} or later instead.`,
	);
}
