import { spawnSync } from 'node:child_process';

import type { Runtime } from '../../../../examples/demo/runtime';
import type { Postgres } from './postgres';
import type { Redis } from './redis';

// With the drivers that n8n itself has.
const SCRIPTS = {
	postgres: `
		const { Client } = require('pg');
		const client = new Client(access);
		await client.connect();
		const count = 'SELECT count(*) FROM n8n_chat_histories WHERE session_id = $1';
		console.log((await client.query(count, [key])).rows[0].count);
		await client.end();
	`,
	redis: `
		const Redis = require('ioredis');
		const client = new Redis({ ...access, db: 1 });
		console.log(await client.llen(key));
		client.disconnect();
	`,
};

/** Gives back how many messages a chat memory has under a key. */
export function logLength(
	runtime: Runtime,
	stores: { postgres: Postgres; redis: Redis },
	store: 'postgres' | 'redis',
	key: string,
): number {
	const script = `(async (access, key) => {${SCRIPTS[store]}})(...JSON.parse(process.argv[1]))`;
	const args = ['-e', script, JSON.stringify([stores[store], key])];
	const options = { cwd: runtime.folder, encoding: 'utf8' as const };
	const { status, stdout, stderr } = spawnSync(runtime.node, args, options);
	if (status !== 0) throw new Error(stderr);
	return Number(stdout);
}
