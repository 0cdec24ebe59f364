import { createHash } from 'node:crypto';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

import { DemoError, run } from './process';
import { filesIn, hashOf } from './skills';

/** The folder of this repository. */
export const REPOSITORY = resolve(__dirname, '..', '..');

// The files that the tarball is made of, or made with: when none changed, it need not be made anew.
const SOURCES = ['nodes', 'credentials', 'icons', 'scripts'];
const SOURCE_FILES = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'gulpfile.js'];
const SOURCES_FILE = '.sources';

interface PackageJson {
	name: string;
	version: string;
	dependencies?: Record<string, string>;
	devDependencies?: unknown;
	peerDependencies?: unknown;
	optionalDependencies?: unknown;
}

/** Builds this package, packs it and gives back the path of the tarball in the folder. */
export async function packTarball(folder: string): Promise<string> {
	await must('npm', ['run', 'build'], REPOSITORY);
	const args = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
	const output = await must('npm', args, REPOSITORY);
	const name = output.trim().split('\n').at(-1) ?? '';
	return join(folder, basename(name));
}

/** Whether n8n's user folder has this package as its source files are now. */
export function isInstalled(userFolder: string): boolean {
	return readText(join(nodesFolder(userFolder), SOURCES_FILE)) === hashSources();
}

/**
 * Builds this package and installs its tarball into n8n's user folder.
 *
 * It does what n8n's own installer does with a package from npm: unpack, drop development, peer
 * and optional dependencies, install the rest, and name the package in `nodes/package.json`. When no source file
 * has changed since the last time, there is nothing to do.
 */
export async function installPackage(userFolder: string): Promise<void> {
	if (isInstalled(userFolder)) return;
	const nodes = nodesFolder(userFolder);
	const sources = hashSources();
	const work = mkdtempSync(join(tmpdir(), 'agent-skills-pack-'));
	try {
		const tarball = await packTarball(work);
		const unpacked = join(work, 'package');
		await must('tar', ['-xzf', basename(tarball)], work);
		const packageJson = await dropDependencies(unpacked);
		place(unpacked, nodes, packageJson);
		writeFileSync(join(nodes, SOURCES_FILE), sources);
	} finally {
		rmSync(work, { recursive: true, force: true });
	}
}

function nodesFolder(userFolder: string): string {
	return join(userFolder, '.n8n', 'nodes');
}

function hashSources(): string {
	const folders = SOURCES.flatMap((name) => filesIn(join(REPOSITORY, name)));
	const files = SOURCE_FILES.map((name) => join(REPOSITORY, name)).filter((f) => existsSync(f));
	const hash = createHash('sha256');
	for (const file of [...folders, ...files]) hash.update(`${file}\0${hashOf(file)}\0`);
	return hash.digest('hex');
}

function readText(file: string): string | null {
	return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

async function dropDependencies(folder: string): Promise<PackageJson> {
	const file = join(folder, 'package.json');
	const packageJson = JSON.parse(readFileSync(file, 'utf8')) as PackageJson;
	delete packageJson.devDependencies;
	delete packageJson.peerDependencies;
	delete packageJson.optionalDependencies;
	writeFileSync(file, JSON.stringify(packageJson, null, 2));
	if (Object.keys(packageJson.dependencies ?? {}).length > 0) {
		const flags = ['--audit=false', '--fund=false', '--bin-links=false', '--package-lock=false'];
		const strategy = ['--install-strategy=shallow', '--ignore-scripts=true'];
		await must('npm', ['install', ...flags, ...strategy], folder);
	}
	return packageJson;
}

function place(unpacked: string, nodes: string, { name, version }: PackageJson): void {
	const modules = join(nodes, 'node_modules');
	const incoming = join(modules, `.${name}-incoming`);
	mkdirSync(modules, { recursive: true });
	rmSync(incoming, { recursive: true, force: true });
	move(unpacked, incoming);
	rmSync(join(modules, name), { recursive: true, force: true });
	renameSync(incoming, join(modules, name));
	const list = { name: 'installed-nodes', private: true, dependencies: { [name]: version } };
	writeFileSync(join(nodes, 'package.json'), JSON.stringify(list, null, 2));
}

function move(from: string, to: string): void {
	try {
		renameSync(from, to);
	} catch (error) {
		// The temporary folder may lie on another disk, where a rename cannot reach.
		if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
		cpSync(from, to, { recursive: true });
	}
}

async function must(command: string, args: string[], cwd: string): Promise<string> {
	const { code, output } = await run(command, args, { cwd });
	if (code === 0) return output;
	throw new DemoError(`\`${command} ${args.join(' ')}\` failed:\n${output.trim()}`);
}
