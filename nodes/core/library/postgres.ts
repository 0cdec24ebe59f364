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
import { knownVersion, migrate, schemaVersion, versionQuery } from './schema';
import { createLibrary } from './service';
import type { Dialect, Row, RunSql, SqlDatabase } from './sql';
import { createTurns } from './turns';
import { LibraryError, type LibraryDatabase } from './types';
import { createRepository } from './writing';

// https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat
const [INT8, JSON_TEXT, TIMESTAMPTZ, NUMERIC] = [20, 114, 1184, 1700];

/** Opens the library in a schema of Postgres, which is made if it is not there. */
export async function openPostgres(settings: PostgresSettings): Promise<LibraryDatabase> {
	return createLibrary(createRepository(await openPostgresSchema(settings)));
}

/** Gives back the database in a schema of Postgres, with the newest tables; `speak` changes what those are. */
export async function openPostgresSchema(
	settings: PostgresSettings,
	speak: (dialect: Dialect) => Dialect = (known) => known,
): Promise<SqlDatabase> {
	const checked = checkedSettings(settings);
	const pool = createPool(checked);
	const dialect = speak(dialectFor(checked));
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
		// After those who write: they and the new tables would wait for each other.
		if ((await inside(dialect.isThere)).length > 0) await inside(turnQuery(dialect));
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
		'The user of the credential may not create tables in the schema of the library.',
		`Let an administrator of the database run: CREATE SCHEMA ${escapeIdentifier(schema)} AUTHORIZATION <user>`,
	);
}

/** Who writes holds this row until the end, so writers come one after the other. */
function turnQuery(dialect: Dialect): string {
	return `${versionQuery(dialect)} FOR UPDATE`;
}

function database(pool: Pool, dialect: Dialect, place: string): SqlDatabase {
	// Each would hold a connection while it waits for another process, and none be left to read.
	const writers = createTurns();
	const inTurn = async <T>(first: string, work: (run: RunSql) => Promise<T>): Promise<T> => {
		const checked = async (run: RunSql, rows: Row[]) => {
			knownVersion(rows, dialect);
			return await work(run);
		};
		return await writers.next(
			async () => await explained(async () => await transaction(pool, [first], checked)),
		);
	};
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
		write: async (work) => await inTurn(turnQuery(dialect), work),
		append: async (work) => await inTurn(versionQuery(dialect), work),
		close: async () => {
			await writers.done();
			await pool.end();
		},
	};
}

async function transaction<T>(
	pool: Pool,
	first: string[],
	work: (run: RunSql, rows: Row[]) => Promise<T>,
): Promise<T> {
	const { client, rows } = await twice(async () => await begin(pool, first));
	let failure: unknown;
	try {
		const result = await work(runner(client), rows);
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

/** Gives back a connection in a transaction, and the rows of the last of its first statements. */
async function begin(pool: Pool, first: string[]): Promise<{ client: PoolClient; rows: Row[] }> {
	const client = await pool.connect();
	try {
		// A process that hangs in the middle must not keep all others from writing.
		const limits = ['statement_timeout', 'idle_in_transaction_session_timeout'].map(
			(name) => `SET LOCAL ${name} = ${POSTGRES_STATEMENT_MS}`,
		);
		const results = await client.query(['BEGIN', ...limits, ...first].join('; '));
		// The driver gives a list where there are several statements; its types do not say so.
		const { rows } = (results as unknown as Array<{ rows: Row[] }>)[limits.length + first.length];
		return { client, rows };
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
