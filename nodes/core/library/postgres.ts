import { escapeIdentifier, escapeLiteral, Pool, types, type PoolClient, type PoolConfig } from 'pg';

import {
	POSTGRES_CONNECT_MS,
	POSTGRES_IDLE_MS,
	POSTGRES_MAX_CONNECTIONS,
	POSTGRES_STATEMENT_MS,
} from '../limits';
import { postgresDialect } from './postgres-dialect';
import { explainPostgres, isConnectionLost } from './postgres-errors';
import { checkedSettings, placeOf, type PostgresSettings } from './postgres-settings';
import { migrate, schemaVersion } from './schema';
import { createLibrary } from './service';
import type { Dialect, Row, RunSql, SqlDatabase } from './sql';
import { LibraryError, type LibraryDatabase } from './types';
import { createRepository } from './writing';

// https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat
const [INT8, JSON_TEXT, TIMESTAMPTZ, NUMERIC] = [20, 114, 1184, 1700];

/** Opens the library in a schema of Postgres, which is made if it is not there. */
export async function openPostgres(settings: PostgresSettings): Promise<LibraryDatabase> {
	return createLibrary(createRepository(await openPostgresSchema(settings)));
}

/** Gives back the database in a schema of Postgres, with the newest tables. */
export async function openPostgresSchema(settings: PostgresSettings): Promise<SqlDatabase> {
	const checked = checkedSettings(settings);
	const pool = createPool(checked);
	const dialect = dialectFor(checked);
	try {
		await prepareTables(pool, dialect, checked);
	} catch (error) {
		await pool.end();
		throw explainPostgres(error, placeOf(checked));
	}
	return database(pool, dialect, placeOf(checked));
}

/** Gives back what a working connection leads to; it rejects with a `LibraryError` for another. */
export async function testConnection(settings: PostgresSettings): Promise<string> {
	const checked = checkedSettings(settings);
	const pool = createPool(checked);
	try {
		const run = runner(pool);
		const version = await schemaVersion(run, dialectFor(checked));
		await checkRights(run, checked.schema);
		return version === 0
			? `Connected. The library will be made in the schema "${checked.schema}".`
			: `Connected to the library in the schema "${checked.schema}".`;
	} catch (error) {
		throw explainPostgres(error, placeOf(checked));
	} finally {
		await pool.end();
	}
}

function dialectFor({ schema }: PostgresSettings): Dialect {
	return postgresDialect({ identifier: escapeIdentifier(schema), literal: escapeLiteral(schema) });
}

function createPool(settings: PostgresSettings): Pool {
	const { password, ssl, ca, host, port, database: name, user } = settings;
	const config: PoolConfig = {
		host,
		port,
		database: name,
		user,
		// As a function: an empty text would be replaced by PGPASSWORD or ~/.pgpass, which are n8n's.
		password: () => password,
		ssl:
			ssl === 'disable' ? false : { rejectUnauthorized: ssl === 'verify', ...(ca ? { ca } : {}) },
		application_name: 'n8n-nodes-agent-skills',
		max: POSTGRES_MAX_CONNECTIONS,
		connectionTimeoutMillis: POSTGRES_CONNECT_MS,
		idleTimeoutMillis: POSTGRES_IDLE_MS,
		query_timeout: POSTGRES_STATEMENT_MS,
		keepAlive: true,
		allowExitOnIdle: true,
		types: { getTypeParser: parserOf as typeof types.getTypeParser },
	};
	const pool = new Pool(config);
	// An idle connection that the server closed: the pool has dropped it, and makes another.
	pool.on('error', () => undefined);
	return pool;
}

/** Gives back how a value is read, so that rows are as SQLite's. */
function parserOf(type: number, format: 'text' | 'binary'): (value: string) => unknown {
	if (type === INT8 || type === NUMERIC) return Number;
	if (type === TIMESTAMPTZ) return (value) => new Date(value).toISOString();
	if (type === JSON_TEXT) return (value) => value;
	return types.getTypeParser(type, format as 'text');
}

function runner(client: Pool | PoolClient): RunSql {
	return async (text, values = []) => {
		const sent = values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
		return (await client.query<Row>(text, sent)).rows;
	};
}

async function prepareTables(pool: Pool, dialect: Dialect, { schema }: PostgresSettings) {
	const run = runner(pool);
	if ((await schemaVersion(run, dialect)) === dialect.migrations.length) return;
	await checkRights(run, schema);
	const lock = `SELECT pg_advisory_xact_lock(hashtextextended(${escapeLiteral(`library ${schema}`)}, 0))`;
	await transaction(pool, [lock], async (inside) => {
		const [known] = await inside('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
		if (!known) await inside(`CREATE SCHEMA ${escapeIdentifier(schema)}`);
		await migrate(inside, dialect);
	});
}

/** Refuses a database in which the tables cannot be made. */
async function checkRights(run: RunSql, schema: string): Promise<void> {
	const [{ encoding, may }] = await run(
		`SELECT current_setting('server_encoding') AS encoding, coalesce(
			(SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = $1),
			has_database_privilege(current_database(), 'CREATE')
		) AS may`,
		[schema],
	);
	if (encoding !== 'UTF8') {
		throw new LibraryError(
			'database-unavailable',
			`The database has the encoding ${encoding}, which cannot hold every text.`,
			'Choose a database with the encoding UTF8.',
		);
	}
	if (may) return;
	throw new LibraryError(
		'database-unavailable',
		`This user may not create tables in the schema "${schema}".`,
		`Let an administrator of the database run: CREATE SCHEMA ${escapeIdentifier(schema)} AUTHORIZATION <user>`,
	);
}

function database(pool: Pool, dialect: Dialect, place: string): SqlDatabase {
	// Who writes holds this row until the end, so writers come one after the other.
	const turn = `SELECT sequence FROM ${dialect.prefix}library FOR UPDATE`;
	const explained = async <T>(work: () => Promise<T>): Promise<T> => {
		try {
			return await work();
		} catch (error) {
			throw explainPostgres(error, place);
		}
	};
	return {
		id: `postgres:${place}`,
		dialect,
		read: async (text, values) =>
			await explained(async () => await twice(async () => await runner(pool)(text, values))),
		write: async (work) => await explained(async () => await transaction(pool, [turn], work)),
		append: async (work) => await explained(async () => await transaction(pool, [], work)),
		close: async () => await pool.end(),
	};
}

async function transaction<T>(
	pool: Pool,
	first: string[],
	work: (run: RunSql) => Promise<T>,
): Promise<T> {
	const client = await twice(async () => await begin(pool, first));
	let failure: unknown;
	try {
		const result = await work(runner(client));
		await client.query('COMMIT');
		return result;
	} catch (error) {
		failure = error;
		// A connection that cannot even do this is closed, which does the same.
		await client.query('ROLLBACK').catch(() => undefined);
		throw error;
	} finally {
		client.release(failure instanceof Error && !(failure instanceof LibraryError));
	}
}

async function begin(pool: Pool, first: string[]): Promise<PoolClient> {
	const client = await pool.connect();
	try {
		// A process that hangs in the middle must not keep all others from writing.
		const limits = ['statement_timeout', 'idle_in_transaction_session_timeout'].map(
			(name) => `SET LOCAL ${name} = ${POSTGRES_STATEMENT_MS}`,
		);
		await client.query(['BEGIN', ...limits, ...first].join('; '));
		return client;
	} catch (error) {
		client.release(true);
		throw error;
	}
}

/** Does it once more where the connection was lost: after a restart of the server all old ones are. */
async function twice<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!isConnectionLost(error)) throw error;
		return await work();
	}
}
