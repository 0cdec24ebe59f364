import { createServer, type AddressInfo } from 'node:net';

import {
	openPostgres,
	openPostgresSchema,
	testConnection,
} from '../../nodes/core/library/postgres';
import { explainPostgres, isConnectionLost } from '../../nodes/core/library/postgres-errors';
import type { LibraryError } from '../../nodes/core/library/types';
import type { PostgresSettings } from '../../nodes/core/library/postgres-settings';
import { postgresSettings } from './support/databases';
import { startPostgres } from './support/server';
import { newSkill } from './support/skills';

const ANN = { user: 'ann', isAdministrator: false };

/** Runs statements as the one who may do all. */
async function asAdministrator(...statements: string[]): Promise<void> {
	const database = await openPostgresSchema(postgresSettings('administration'));
	for (const statement of statements) {
		await database.append(async (run) => void (await run(statement)));
	}
	await database.close();
}

describe('the test of a connection', () => {
	it('says where the library will be, and then that it is there', async () => {
		const settings = postgresSettings();
		expect(await testConnection(settings)).toContain('will be made in the schema');
		expect(await testConnection(settings)).toContain('will be made in the schema');
		await (await openPostgres(settings)).close();
		expect(await testConnection(settings)).toContain('Connected to the library in the schema');
	});

	it.each<[string, Partial<PostgresSettings>, string]>([
		['a wrong password', { password: 'a wrong secret' }, 'refuses the user or the password'],
		['no password', { password: '' }, 'password'],
		['an unknown user', { user: 'nobody-knows' }, 'refuses the user or the password'],
		['an unknown database', { database: 'nowhere' }, 'no such database'],
		['a port where nothing listens', { port: 1 }, 'nothing answers there'],
		['a host that does not exist', { host: 'nowhere.invalid' }, 'no such host'],
		['SSL that the server does not speak', { ssl: 'require' }, 'SSL'],
	])('explains %s', async (_case, part, message) => {
		const settings = { ...postgresSettings(), ...part };
		for (const open of [testConnection, openPostgres]) {
			const error = await (open(settings) as Promise<unknown>).catch((one: LibraryError) => one);
			expect(error).toMatchObject({
				code: 'database-unavailable',
				message: expect.stringContaining(message) as string,
				hint: expect.any(String) as string,
			});
			const { hint, stack, message: said } = error as LibraryError;
			// The message may be shown to anybody.
			for (const part of ['host', 'user', 'schema'] as const) {
				expect(said).not.toContain(settings[part]);
			}
			if (settings.password !== '') expect([hint, stack].join()).not.toContain(settings.password);
		}
	});

	it.each<[string, Partial<PostgresSettings>]>([
		['no host', { host: ' ' }],
		['no database', { database: '' }],
		['no user', { user: '' }],
		['no schema', { schema: '' }],
		['a port that is none', { port: 70_000 }],
		['a schema of Postgres itself', { schema: 'pg_catalog' }],
		['a schema that would be cut', { schema: 'x'.repeat(64) }],
		['a schema with NUL', { schema: 'a\0' }],
	])('refuses %s', async (_case, part) => {
		await expect(testConnection({ ...postgresSettings(), ...part })).rejects.toMatchObject({
			code: 'invalid',
		});
	});

	it('tells a user that may not create tables, and what to do', async () => {
		await asAdministrator(
			`CREATE ROLE reader LOGIN PASSWORD 'reader'`,
			`CREATE SCHEMA closed`,
			`GRANT USAGE ON SCHEMA closed TO reader`,
		);
		const reader = { user: 'reader', password: 'reader' };
		for (const schema of ['closed', 'not-there']) {
			const settings = { ...postgresSettings(schema), ...reader };
			const refused = {
				code: 'database-unavailable',
				message: expect.stringContaining('may not create tables') as string,
				hint: expect.stringContaining('CREATE SCHEMA') as string,
			};
			await expect(testConnection(settings)).rejects.toMatchObject(refused);
			await expect(openPostgres(settings)).rejects.toMatchObject(refused);
		}
		await asAdministrator(`GRANT CREATE ON SCHEMA closed TO reader`);
		const database = await openPostgres({ ...postgresSettings('closed'), ...reader });
		expect(await database.as(ANN).stamp()).toBe(0);
		await database.close();
	});

	it('refuses an encoding that cannot hold every text', async () => {
		const database = await openPostgresSchema(postgresSettings('administration'));
		// Not in a transaction, in which Postgres makes no database.
		await database.read(`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
		await database.close();
		const settings = { ...postgresSettings(), database: 'latin' };
		await expect(testConnection(settings)).rejects.toMatchObject({
			message: expect.stringContaining('LATIN1') as string,
		});
	});

	it('ends in time when the server says nothing', async () => {
		const silent = createServer(() => undefined);
		await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
		const { port } = silent.address() as AddressInfo;
		await expect(testConnection({ ...postgresSettings(), port })).rejects.toMatchObject({
			code: 'database-unavailable',
		});
		silent.close();
	});
});

it("never sends n8n's own password where none was given", async () => {
	process.env.PGPASSWORD = postgresSettings().password;
	try {
		const settings = { ...postgresSettings(), password: '' };
		await expect(testConnection(settings)).rejects.toMatchObject({ code: 'database-unavailable' });
	} finally {
		delete process.env.PGPASSWORD;
	}
});

it.each([`with space`, `quo"te`, `'; DROP SCHEMA public; --`, 'Üppercase', '$1'])(
	'keeps a library in the schema %j',
	async (schema) => {
		const database = await openPostgres(postgresSettings(schema));
		const { id } = await database.as(ANN).create(newSkill('one'));
		expect((await database.as(ANN).get({ name: 'one' })).id).toBe(id);
		await database.close();
	},
);

it('keeps libraries in different schemas apart, and names them without the password', async () => {
	const [one, two] = [
		await openPostgres(postgresSettings()),
		await openPostgres(postgresSettings()),
	];
	await one.as(ANN).create(newSkill('one'));
	expect((await two.as(ANN).list()).skills).toEqual([]);
	expect(one.id).not.toBe(two.id);
	expect(one.id).not.toContain(postgresSettings().password);
	await one.close();
	await two.close();
});

it('knows no version of a number that it cannot count to', async () => {
	const database = await openPostgres(postgresSettings());
	const library = database.as(ANN);
	const { id } = await library.create(newSkill('one'));
	for (const call of [library.version, library.restore]) {
		await expect(call({ id }, 3_000_000_000)).rejects.toMatchObject({ code: 'not-found' });
	}
	await database.close();
});

it('gives all waiting callers their turn, with few connections', async () => {
	const database = await openPostgres(postgresSettings());
	const library = database.as(ANN);
	const made = Array.from({ length: 60 }, async (_, at) => {
		await library.create(newSkill(`skill-${at}`));
		return await library.get({ name: `skill-${at}` });
	});
	expect(await Promise.all(made)).toHaveLength(60);
	expect(await library.stamp()).toBe(60);
	await database.close();
});

it('goes on when the server was restarted', async () => {
	const server = await startPostgres();
	const database = await openPostgres(server.settings);
	const library = database.as(ANN);
	await library.create(newSkill('before'));
	await server.restart();
	expect((await library.list()).skills).toHaveLength(1);
	await server.restart();
	await library.create(newSkill('after'));
	expect((await library.list()).skills).toHaveLength(2);
	await server.stop();
	await expect(library.list()).rejects.toMatchObject({ code: 'database-unavailable' });
	await expect(library.create(newSkill('never'))).rejects.toMatchObject({
		code: 'database-unavailable',
	});
	await database.close();
});

describe('an error of Postgres', () => {
	it('is explained by what it says where it is not known', () => {
		const { message, hint } = explainPostgres(new Error('odd'), 'here');
		expect(message).toBe('The skill library cannot be used: its database reports an error.');
		expect(hint).toContain('(here: odd)');
		expect(explainPostgres(new Error(''), 'here').hint).toContain('(here: nothing)');
		const coded = Object.assign(new Error(''), { code: 'XX000' });
		expect(explainPostgres(coded, 'here').hint).toContain('XX000');
	});

	it.each([
		['timeout exceeded when trying to connect', 'too much was asked at once'],
		['Query read timeout', 'it took too long'],
	])('that is no fault of the address does not ask to check it: %s', (said, message) => {
		const error = explainPostgres(new Error(said), 'here');
		expect(error.message).toContain(message);
		expect(error.hint).not.toContain('host');
	});

	it('of a value that it does not take is one of the input', () => {
		const error = Object.assign(new Error('out of range'), { code: '22003' });
		expect(explainPostgres(error, 'here')).toMatchObject({ code: 'invalid' });
	});

	it('of a host with several addresses is explained too', () => {
		const error = new AggregateError([Object.assign(new Error(), { code: 'ECONNREFUSED' })]);
		expect(explainPostgres(error, 'here').message).toContain('nothing answers there');
	});

	it.each([
		[{ code: '57P01' }, true],
		[{ code: '08006' }, true],
		[{ code: 'ECONNRESET' }, true],
		[new Error('Connection terminated unexpectedly'), true],
		[{ code: '23505' }, false],
		[new Error('Query read timeout'), false],
	])('%j is of the connection: %s', (error, isLost) => {
		expect(isConnectionLost(error)).toBe(isLost);
	});
});
