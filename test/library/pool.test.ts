import { setTimeout as pause } from 'node:timers/promises';

import { openPostgresSchema } from '../../nodes/core/library/postgres';
import { createLibrary } from '../../nodes/core/library/service';
import type { SqlDatabase } from '../../nodes/core/library/sql';
import type { Library } from '../../nodes/core/library/types';
import { createRepository } from '../../nodes/core/library/writing';
import { POSTGRES_MAX_CONNECTIONS } from '../../nodes/core/limits';
import { postgresSettings } from './support/databases';
import { ANN, newSkill } from './support/skills';

const IDLE_MS = 300;
jest.mock('../../nodes/core/limits', () => ({
	...jest.requireActual<object>('../../nodes/core/limits'),
	POSTGRES_IDLE_MS: 300,
	POSTGRES_CONNECT_MS: 2000,
}));

describe('the connections of one process', () => {
	// In a database of its own: other tests use the same server at the same time.
	const name = 'connections';
	let outside: SqlDatabase;
	let sql: SqlDatabase;
	let library: Library;

	beforeAll(async () => {
		outside = await openPostgresSchema(postgresSettings('administration'));
		await outside.read(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
	});
	afterAll(async () => await outside.close());
	beforeEach(async () => {
		sql = await openPostgresSchema({ ...postgresSettings(), database: name });
		library = createLibrary(createRepository(sql)).as(ANN);
	});
	afterEach(async () => await sql.close());

	const connections = async () => {
		const rows = await outside.read('SELECT pid FROM pg_stat_activity WHERE datname = $1', [name]);
		return rows.length;
	};

	async function mostDuring(work: Promise<unknown>): Promise<number> {
		let isDone = false;
		void work.finally(() => (isDone = true)).catch(() => undefined);
		let most = 0;
		while (!isDone) {
			most = Math.max(most, await connections());
			await pause(5);
		}
		await work;
		return most;
	}

	/** Waits for the server to notice what was closed. */
	async function expectNone(): Promise<void> {
		const end = Date.now() + 20 * IDLE_MS;
		while ((await connections()) > 0 && Date.now() < end) await pause(IDLE_MS / 3);
		expect(await connections()).toBe(0);
	}

	it('are few under load, and none when nobody asks', async () => {
		const work = Array.from({ length: 60 }, async (_, at) => {
			const made = await library.create(newSkill(`skill-${at}`));
			await Promise.all([library.get({ id: made.id }), library.recordUse([made.id])]);
			return await library.list({ text: 'skill' });
		});
		const most = await mostDuring(Promise.all(work));
		expect(most).toBeGreaterThan(1);
		expect(most).toBeLessThanOrEqual(POSTGRES_MAX_CONNECTIONS);
		await expectNone();
		expect((await library.list()).skills).toHaveLength(60);
	});

	it('are not lost to statements that fail', async () => {
		const failures = Array.from({ length: 100 }, async (_, at) => {
			const bad = 'SELECT nonsense FROM nowhere';
			const work = [
				async () => await sql.read(bad),
				async () => await sql.write(async (run) => await run(bad)),
				async () => await sql.append(async (run) => await run(bad)),
			][at % 3];
			await expect(work()).rejects.toMatchObject({ code: 'database-unavailable' });
		});
		const most = await mostDuring(Promise.all(failures));
		expect(most).toBeLessThanOrEqual(POSTGRES_MAX_CONNECTIONS);
		expect(await library.stamp()).toBe(0);
		await expectNone();
	});

	it('leave room to read while many wait to write, which all get their turn', async () => {
		const other = await openPostgresSchema({ ...postgresSettings(), database: name });
		const { prefix } = sql.dialect;
		let release: () => void = () => undefined;
		let hasBegun: () => void = () => undefined;
		const begun = new Promise<void>((resolve) => (hasBegun = resolve));
		// Another process, in the middle of a long import.
		const holding = other.append(async (run) => {
			await run(`SELECT sequence FROM ${prefix}library FOR UPDATE`);
			hasBegun();
			await new Promise<void>((resolve) => (release = resolve));
		});
		await begun;
		const writes = Array.from({ length: 12 }, async (_, at) => {
			return await library.create(newSkill(`skill-${at}`));
		});
		await pause(200);
		const start = Date.now();
		for (let at = 0; at < 20; at++) expect(await library.stamp()).toBe(0);
		expect((await library.list()).skills).toEqual([]);
		expect(Date.now() - start).toBeLessThan(2000);
		// Longer than a connection is waited for: no write is lost to that.
		await pause(2500);
		release();
		await holding;
		expect(await Promise.all(writes)).toHaveLength(12);
		expect(await library.stamp()).toBe(12);
		await other.close();
	});
});
