import { createHash } from 'node:crypto';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

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
	console.log(`Installing n8n for the demo and the tests, once, into ${folder}`);
	const unpacked = await unpack(folder);
	const runtime = describeRuntime(unpacked);
	await rebuildSqlite(runtime);
	const version = await proveItRuns(runtime);
	const seconds = Math.round((Date.now() - started) / 1000);
	writeFileSync(join(unpacked, READY_FILE), JSON.stringify({ version, seconds }));
	// A half-made folder never gets the final name, so its presence means that all is there.
	rmSync(folder, { recursive: true, force: true });
	renameSync(unpacked, folder);
	removeLeftovers(folder);
	console.log(`n8n ${version} is ready after ${seconds} s`);
}

/** The folder with everything npm brings: a later step that failed need not start over. */
async function unpack(folder: string): Promise<string> {
	const unpacked = `${folder}.unpacked`;
	if (existsSync(unpacked)) return unpacked;
	removeLeftovers(folder);
	// Each attempt has a folder of its own: the npm of an interrupted one may still be tidying up.
	const attempt = `${folder}.attempt-${process.pid}`;
	mkdirSync(attempt, { recursive: true });
	for (const file of PINNED_FILES) copyFileSync(join(PINNED, file), join(attempt, file));
	await installPackages(attempt);
	renameSync(attempt, unpacked);
	return unpacked;
}

function removeLeftovers(folder: string): void {
	const parent = dirname(folder);
	const left = readdirSync(parent).filter((name) =>
		name.startsWith(`${basename(folder)}.attempt-`),
	);
	for (const name of left) {
		try {
			rmSync(join(parent, name), { recursive: true, force: true });
		} catch {
			console.log(
				`  ${join(parent, name)} is left from an interrupted install and can be deleted.`,
			);
		}
	}
}

function runtimeKey(): string {
	const hash = createHash('sha256').update(readFileSync(join(PINNED, 'package-lock.json')));
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
