import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

import { messageOf } from '../errors';
import { MAX_PREPARED_STATEMENTS, SQLITE_BUSY_MS, SQLITE_BUSY_PAUSE_MS } from '../limits';
import { LruMap } from '../lru';
import { indexedWords } from './query';
import {
	firstSchema,
	knownVersion,
	migrate,
	schemaVersion,
	secondSchema,
	type ColumnTypes,
	versionQuery,
} from './schema';
import { createLibrary } from './service';
import type { Dialect, Row, RunSql, SearchTexts, SqlDatabase, SqlValue } from './sql';
import { createTurns } from './turns';
import { LibraryError, type LibraryDatabase } from './types';
import { createRepository } from './writing';

/** What is used of Node's own SQLite; Node 20, whose types are here, does not know it. */
interface Connection {
	exec(text: string): void;
	prepare(text: string): Statement;
	close(): void;
}
interface Statement {
	all(values: Record<string, unknown>): unknown[];
	setReturnArrays?(isOn: boolean): void;
	columns(): Array<{ name: string }>;
}
type OpenConnection = new (path: string, options: { readOnly?: boolean }) => Connection;

const SQLITE_BUSY = 5;
// How telling a word is by where it stands: name, description, tags, text.
const WEIGHTS = '10.0, 4.0, 2.0, 1.0';

/** Opens the library in a file, which is made if it is not there. */
export async function openSqlite(path: string): Promise<LibraryDatabase> {
	return createLibrary(createRepository(await openSqliteFile(path)));
}

/** Gives back the database in a file, with the newest tables; `speak` changes what those are. */
export async function openSqliteFile(
	path: string,
	speak: (dialect: Dialect) => Dialect = (known) => known,
): Promise<SqlDatabase> {
	const dialect = speak(sqliteDialect);
	const Database = loadSqlite();
	return await explained(path, async () => {
		await mkdir(dirname(path), { recursive: true });
		const writing = await connect(Database, path);
		try {
			await prepareTables(writing, dialect);
			return database(path, writing, new Database(path, { readOnly: true }), dialect);
		} catch (error) {
			writing.close();
			throw error;
		}
	});
}

function loadSqlite(): OpenConnection {
	const { DatabaseSync } = (process.getBuiltinModule?.('node:sqlite' as 'node:fs') ?? {}) as {
		DatabaseSync?: OpenConnection;
	};
	if (DatabaseSync !== undefined) return DatabaseSync;
	throw new LibraryError(
		'database-unavailable',
		`The built-in library needs Node.js 22.13 or later; this n8n runs on ${process.versions.node}.`,
		'Update Node.js, or keep the library in Postgres: choose "Postgres" as its database.',
	);
}

async function connect(Database: OpenConnection, path: string): Promise<Connection> {
	const connection = new Database(path, {});
	try {
		// Two processes that make the same file at once must wait for each other here already.
		await patiently(() => connection.exec('PRAGMA journal_mode = WAL'));
		connection.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
		return connection;
	} catch (error) {
		connection.close();
		throw error;
	}
}

async function prepareTables(writing: Connection, dialect: Dialect): Promise<void> {
	const run = later(runner(writing));
	const current = await patiently(async () => await schemaVersion(run, dialect));
	if (current === dialect.migrations.length) return;
	await transaction(writing, async () => await migrate(run, dialect));
}

function database(
	path: string,
	writing: Connection,
	reading: Connection,
	dialect: Dialect,
): SqlDatabase {
	const [write, read] = [later(runner(writing)), runner(reading)];
	// The connection has one transaction at a time, so those of this process form a queue.
	const turns = createTurns();
	const version = versionQuery(dialect);
	const inTurn = async <T>(work: (run: RunSql) => Promise<T>): Promise<T> => {
		const checked = async () => {
			knownVersion(await write(version), dialect);
			return await work(write);
		};
		return await turns.next(
			async () => await explained(path, async () => await transaction(writing, checked)),
		);
	};
	return {
		id: `sqlite:${path}`,
		dialect,
		read: (text, values) => {
			try {
				// Without a detour: whether anything changed is asked often, and answered in microseconds.
				return Promise.resolve(read(text, values));
			} catch {
				return explained(path, async () => await patiently(() => read(text, values)));
			}
		},
		write: inTurn,
		append: inTurn,
		close: async () => {
			await turns.done();
			reading.close();
			writing.close();
		},
	};
}

type Runner = (text: string, values?: SqlValue[]) => Row[];

function runner(connection: Connection): Runner {
	const prepared = new LruMap<string, Query>(MAX_PREPARED_STATEMENTS);
	return (text, values = []) => {
		const query =
			prepared.get(text) ?? prepared.getOrCreate(text, () => queryOf(connection.prepare(text)));
		const named: Record<string, unknown> = {};
		values.forEach((value, at) => {
			named[`$${at + 1}`] = encoded(value);
		});
		return query(named);
	};
}

type Query = (values: Record<string, unknown>) => Row[];

/** Objects that are all made alike are read much faster than those that SQLite gives. */
function queryOf(statement: Statement): Query {
	if (statement.setReturnArrays === undefined) return (values) => statement.all(values) as Row[];
	statement.setReturnArrays(true);
	const names = statement.columns().map(({ name }) => name);
	return (values) =>
		(statement.all(values) as SqlValue[][]).map((fields) => {
			const row: Row = {};
			for (let at = 0; at < names.length; at++) row[names[at]] = fields[at];
			return row;
		});
}

function later(run: Runner): RunSql {
	return async (text, values) => run(text, values);
}

function encoded(value: SqlValue): SqlValue {
	return typeof value === 'boolean' ? Number(value) : value;
}

async function transaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
	await patiently(() => connection.exec('BEGIN IMMEDIATE'));
	try {
		const result = await work();
		connection.exec('COMMIT');
		return result;
	} catch (error) {
		try {
			connection.exec('ROLLBACK');
		} catch {
			// SQLite has already done it, as it does when the disk is full.
		}
		throw error;
	}
}

/** Tries again while another process writes. SQLite's own waiting would stop all of n8n. */
async function patiently<T>(work: () => T | Promise<T>): Promise<T> {
	const end = Date.now() + SQLITE_BUSY_MS;
	for (;;) {
		try {
			return await work();
		} catch (error) {
			const code = (error as { errcode?: number }).errcode ?? 0;
			// The low byte is the code; the rest says more about it.
			if ((code & 0xff) !== SQLITE_BUSY || Date.now() > end) throw error;
			await new Promise((resolve) => setTimeout(resolve, Math.random() * SQLITE_BUSY_PAUSE_MS));
		}
	}
}

async function explained<T>(path: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof LibraryError) throw error;
		const { errcode } = error as { errcode?: number };
		// What SQLite says names no place; who asks over the web must not learn it.
		const reason = errcode === undefined ? 'its file cannot be made or opened' : messageOf(error);
		throw new LibraryError(
			'database-unavailable',
			`The skill library cannot be used: ${reason}.`,
			`Check that n8n may write to this folder, that the disk is not full, and that the file is a library: ${path} (${messageOf(error)})`,
		);
	}
}

const COLUMN_TYPES: ColumnTypes = {
	json: 'TEXT',
	bytes: 'BLOB',
	time: 'TEXT',
	bool: 'INTEGER',
	key: 'TEXT',
	rowId: 'row_id INTEGER PRIMARY KEY, ',
};

const sqliteDialect: Dialect = {
	prefix: '',
	isOneOf: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
	isThere: `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'library'`,
	migrations: [
		[
			...firstSchema('', COLUMN_TYPES),
			`CREATE VIRTUAL TABLE skill_search USING fts5 (
				name, description, tags, body, content = '', contentless_delete = 1,
				tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc Me'"
			)`,
		],
		secondSchema('', COLUMN_TYPES, 'lower(hex(randomblob(16)))'),
	],
	search: {
		join: 'JOIN skill_search ON skill_search.rowid = s.row_id',
		matches: (parameter) => `skill_search MATCH ${parameter}`,
		order: () => `bm25(skill_search, ${WEIGHTS})`,
		query: (words) => words.map((word) => `"${word}" *`).join(' AND '),
		index: async (run, skillId, texts) => {
			await forget(run, skillId);
			const columns: Array<keyof SearchTexts> = ['name', 'description', 'tags', 'body'];
			await run(
				`INSERT INTO skill_search (rowid, ${columns.join(', ')})
				SELECT row_id, $2, $3, $4, $5 FROM skills WHERE id = $1`,
				[skillId, ...columns.map((column) => indexedWords(texts[column]).join(' '))],
			);
		},
		remove: async (run, skillId) => await forget(run, skillId),
	},
};

async function forget(run: RunSql, skillId: string): Promise<void> {
	await run('DELETE FROM skill_search WHERE rowid = (SELECT row_id FROM skills WHERE id = $1)', [
		skillId,
	]);
}
