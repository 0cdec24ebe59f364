import { LibraryError } from './types';
import type { Dialect, Row, RunSql } from './sql';

/** The types of columns, which databases name differently. */
export interface ColumnTypes {
	json: string;
	bytes: string;
	time: string;
	bool: string;
	/** A text that is compared by its bytes. */
	key: string;
	/** The first column of `skills`, if it needs one more. */
	rowId: string;
}

/** Gives back the statements that make the tables of version 1, all but the search index. */
export function firstSchema(t: string, types: ColumnTypes): string[] {
	const { json, bytes, time, bool, key, rowId } = types;
	return [
		`CREATE TABLE ${t}library (
			one INTEGER PRIMARY KEY CHECK (one = 1),
			schema_version INTEGER NOT NULL,
			sequence BIGINT NOT NULL
		)`,
		`INSERT INTO ${t}library VALUES (1, 0, 0)`,
		`CREATE TABLE ${t}skills (
			${rowId}id ${key} NOT NULL UNIQUE,
			name TEXT NOT NULL,
			name_key ${key} NOT NULL,
			description TEXT NOT NULL,
			tags ${json} NOT NULL,
			is_public ${bool} NOT NULL,
			owner_id ${key},
			extras ${json} NOT NULL,
			version INTEGER NOT NULL,
			content_hash TEXT NOT NULL,
			created_at ${time} NOT NULL,
			updated_at ${time} NOT NULL,
			CHECK (owner_id IS NOT NULL OR is_public)
		)`,
		// To a unique index two NULLs differ, but system skills are all of one owner.
		`CREATE UNIQUE INDEX skills_by_owner ON ${t}skills (coalesce(owner_id, ''), name_key)`,
		`CREATE INDEX skills_of_owner ON ${t}skills (owner_id)`,
		`CREATE INDEX skills_by_name ON ${t}skills (name_key, id)`,
		`CREATE INDEX skills_by_public ON ${t}skills (is_public)`,
		`CREATE INDEX skills_by_update ON ${t}skills (updated_at)`,
		`CREATE TABLE ${t}skill_tags (
			tag_key ${key} NOT NULL,
			skill_id ${key} NOT NULL REFERENCES ${t}skills (id) ON DELETE CASCADE,
			PRIMARY KEY (tag_key, skill_id)
		)`,
		`CREATE INDEX skill_tags_by_skill ON ${t}skill_tags (skill_id)`,
		`CREATE TABLE ${t}blobs (hash ${key} PRIMARY KEY, bytes ${bytes} NOT NULL)`,
		// A file is of the versions from \`since\` to before \`until\`; NULL: it is there now. The text of
		// the SKILL.md is the file with the empty path.
		`CREATE TABLE ${t}skill_files (
			id ${key} NOT NULL,
			skill_id ${key} NOT NULL REFERENCES ${t}skills (id) ON DELETE CASCADE,
			path ${key} NOT NULL,
			path_key ${key} NOT NULL,
			hash ${key} NOT NULL REFERENCES ${t}blobs (hash),
			size BIGINT NOT NULL,
			is_binary ${bool} NOT NULL,
			since INTEGER NOT NULL,
			until INTEGER,
			PRIMARY KEY (skill_id, path_key, since)
		)`,
		`CREATE UNIQUE INDEX skill_files_now ON ${t}skill_files (skill_id, path_key) WHERE until IS NULL`,
		`CREATE INDEX skill_files_by_id ON ${t}skill_files (id)`,
		`CREATE INDEX skill_files_by_hash ON ${t}skill_files (hash)`,
		`CREATE TABLE ${t}skill_versions (
			skill_id ${key} NOT NULL REFERENCES ${t}skills (id) ON DELETE CASCADE,
			version INTEGER NOT NULL,
			made_at ${time} NOT NULL,
			made_by ${key},
			name TEXT NOT NULL,
			description TEXT NOT NULL,
			tags ${json} NOT NULL,
			is_public ${bool} NOT NULL,
			owner_id ${key},
			extras ${json} NOT NULL,
			content_hash TEXT NOT NULL,
			PRIMARY KEY (skill_id, version)
		)`,
		`CREATE TABLE ${t}changes (
			sequence BIGINT PRIMARY KEY,
			event TEXT NOT NULL,
			made_at ${time} NOT NULL,
			skill ${json} NOT NULL,
			before ${json}
		)`,
		`CREATE TABLE ${t}skill_usage (
			skill_id ${key} NOT NULL REFERENCES ${t}skills (id) ON DELETE CASCADE,
			user_id ${key} NOT NULL,
			day ${key} NOT NULL,
			loads BIGINT NOT NULL,
			last_used_at ${time} NOT NULL,
			PRIMARY KEY (skill_id, user_id, day)
		)`,
		`CREATE INDEX skill_usage_by_day ON ${t}skill_usage (day)`,
	];
}

/**
 * Gives back the statements that lead to version 2: the library has an id of its own, each skill
 * knows the numbers of the changes that made and last changed it, and triggers keep their positions.
 */
export function secondSchema(t: string, { key, time }: ColumnTypes, randomId: string): string[] {
	return [
		`ALTER TABLE ${t}library ADD COLUMN id ${key}`,
		`UPDATE ${t}library SET id = ${randomId}`,
		`ALTER TABLE ${t}skills ADD COLUMN created_in BIGINT NOT NULL DEFAULT 0`,
		`ALTER TABLE ${t}skills ADD COLUMN changed_in BIGINT NOT NULL DEFAULT 0`,
		// Of earlier skills as far as the log still knows.
		`UPDATE ${t}skills SET created_in = known.made, changed_in = known.last FROM (
			SELECT skill->>'id' AS id, max(sequence) AS last,
				max(CASE WHEN event = 'created' THEN sequence ELSE 0 END) AS made
			FROM ${t}changes GROUP BY skill->>'id'
		) known WHERE known.id = skills.id`,
		`CREATE TABLE ${t}positions (
			reader ${key} PRIMARY KEY,
			sequence BIGINT NOT NULL,
			polled_at ${time} NOT NULL
		)`,
	];
}

/** Gives back which version of the schema is there, 0 for none; a newer one is refused. */
export async function schemaVersion(run: RunSql, dialect: Dialect): Promise<number> {
	const isThere = (await run(dialect.isThere)).length > 0;
	if (!isThere) return 0;
	return knownVersion(await run(versionQuery(dialect)), dialect);
}

/** Asks which version of the schema is there. */
export function versionQuery({ prefix }: Dialect): string {
	return `SELECT schema_version FROM ${prefix}library`;
}

/**
 * Gives back the version that `versionQuery` found; a newer one is refused. Who writes asks once the
 * turn has come: another n8n, with a newer package, may have changed the tables since they were opened.
 */
export function knownVersion([row]: Row[], { migrations }: Dialect): number {
	const version = Number(row.schema_version);
	if (version <= migrations.length) return version;
	throw new LibraryError(
		'database-newer',
		`The skill library is of version ${version}; this package knows versions up to ${migrations.length}.`,
		'Update the package n8n-nodes-agent-skills on every n8n that uses this library. Nothing was changed.',
	);
}

/** Brings the tables to the newest version; to be run while no other process does. */
export async function migrate(run: RunSql, dialect: Dialect): Promise<void> {
	const from = await schemaVersion(run, dialect);
	for (const statement of dialect.migrations.slice(from).flat()) await run(statement);
	const to = dialect.migrations.length;
	if (from < to) await run(`UPDATE ${dialect.prefix}library SET schema_version = ${to}`);
}
