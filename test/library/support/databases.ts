import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openPostgresSchema } from '../../../nodes/core/library/postgres';
import type { PostgresSettings } from '../../../nodes/core/library/postgres-settings';
import { createLibrary } from '../../../nodes/core/library/service';
import type { Dialect, RunSql, SqlDatabase } from '../../../nodes/core/library/sql';
import { openSqliteFile } from '../../../nodes/core/library/sqlite';
import type { Actor, Library, LibraryDatabase } from '../../../nodes/core/library/types';
import { createRepository } from '../../../nodes/core/library/writing';
import { POSTGRES_VARIABLE } from './setup';

/** A place for a library that nobody has used yet; it may be opened many times. */
export interface Place {
	/** The same place for another process, as JSON. */
	address: { sqlite: string } | { postgres: PostgresSettings };
	/** `speak` changes what its tables are, as a later package does. */
	open(speak?: (dialect: Dialect) => Dialect): Promise<SqlDatabase>;
}

/** The server that all test files share. */
export function postgresSettings(schema = `test_${randomUUID()}`): PostgresSettings {
	const settings = JSON.parse(process.env[POSTGRES_VARIABLE] ?? '') as PostgresSettings;
	return { ...settings, schema };
}

/** Both databases, each with a way to a new place. */
export const DATABASES: Array<[name: string, newPlace: () => Place]> = [
	['SQLite', sqlitePlace],
	['Postgres', postgresPlace],
];

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function sqlitePlace(): Place {
	const folder = mkdtempSync(join(tmpdir(), 'agent-skills-library-'));
	folders.push(folder);
	const path = join(folder, 'not-there-yet', 'library.sqlite');
	return { address: { sqlite: path }, open: async (speak) => await openSqliteFile(path, speak) };
}

function postgresPlace(): Place {
	const settings = postgresSettings();
	return {
		address: { postgres: settings },
		open: async (speak) => await openPostgresSchema(settings, speak),
	};
}

/** A library for some tests, and the SQL below it. */
export interface LibraryUnderTest {
	place: Place;
	sql: SqlDatabase;
	database: LibraryDatabase;
	/** Runs SQL past the library. */
	run: RunSql;
	/** The library as a user sees it; null: nobody in particular. */
	as(user: string | null, isAdministrator?: boolean): Library;
	/** Every statement that was run since the last call. */
	statements(): string[];
	close(): Promise<void>;
}

/** Opens a new library. */
export async function openNew(newPlace: () => Place): Promise<LibraryUnderTest> {
	const place = newPlace();
	const sql = await place.open();
	const log: string[] = [];
	const noted =
		(run: RunSql): RunSql =>
		async (text, values) => {
			log.push(text);
			return await run(text, values);
		};
	const database = createLibrary(
		createRepository({
			...sql,
			read: noted(sql.read),
			write: async (work) => await sql.write(async (run) => await work(noted(run))),
			append: async (work) => await sql.append(async (run) => await work(noted(run))),
		}),
	);
	return {
		place,
		sql,
		database,
		run: async (text, values) => await sql.write(async (run) => await run(text, values)),
		as: (user, isAdministrator = false) => database.as({ user, isAdministrator } as Actor),
		statements: () => log.splice(0),
		close: async () => await database.close(),
	};
}
