import {
	BYTES_PER_INSERT,
	MAX_LIBRARY_CHANGES,
	MAX_LIBRARY_VERSIONS,
	MAX_USAGE_DAYS,
	ROWS_PER_INSERT,
} from '../limits';
import { createPositions } from './positions';
import { createReader } from './reading';
import type { LoggedChange, Repository, Save, Writer } from './repository';
import type { Dialect, RunSql, SqlDatabase, SqlValue } from './sql';
import type { LibrarySkill } from './types';

/** Gives back the records in a database. */
export function createRepository(database: SqlDatabase): Repository {
	const { dialect, id } = database;
	return {
		...createReader(database.read, dialect),
		id,
		libraryId: async () =>
			String((await database.read(`SELECT id FROM ${dialect.prefix}library`))[0].id),
		positions: createPositions(database),
		write: async (work) => await database.write(async (run) => await work(writer(run, dialect))),
		addUses: async (skillIds, user, at) =>
			await database.append(async (run) => await addUses(run, dialect, skillIds, user, at)),
		close: async () => await database.close(),
	};
}

function writer(run: RunSql, dialect: Dialect): Writer {
	return {
		...createReader(run, dialect),
		save: async (save) => await saveSkill(run, dialect, save),
		remove: async (skill, at) => await removeSkill(run, dialect, skill, at),
	};
}

async function saveSkill(run: RunSql, dialect: Dialect, save: Save): Promise<void> {
	const { skill } = save;
	const sequence = await nextSequence(run, dialect.prefix);
	await (save.event === 'created' ? insertSkill : updateSkill)(run, dialect, save, sequence);
	await saveFiles(run, dialect.prefix, save);
	await saveVersion(run, dialect.prefix, save);
	if (save.searched !== undefined) {
		await dialect.search.index(run, skill.id, {
			name: skill.name,
			description: skill.description,
			tags: skill.tags.join(' '),
			body: save.searched,
		});
	}
	const { event, before } = save;
	await log(run, dialect.prefix, { sequence, event, at: skill.updatedAt, skill, before });
}

function columnsOf({ skill, nameKey }: Save): Record<string, SqlValue> {
	return {
		id: skill.id,
		name: skill.name,
		name_key: nameKey,
		description: skill.description,
		tags: JSON.stringify(skill.tags),
		is_public: skill.isPublic,
		owner_id: skill.ownerId,
		extras: JSON.stringify(skill.extras),
		version: skill.version,
		content_hash: skill.contentHash,
		created_at: skill.createdAt,
		updated_at: skill.updatedAt,
	};
}

async function insertSkill(
	run: RunSql,
	dialect: Dialect,
	save: Save,
	sequence: number,
): Promise<void> {
	const numbers = { created_in: sequence, changed_in: sequence };
	await insert(run, `${dialect.prefix}skills`, [{ ...columnsOf(save), ...numbers }]);
	await saveTags(run, dialect.prefix, save);
}

async function updateSkill(
	run: RunSql,
	dialect: Dialect,
	save: Save,
	sequence: number,
): Promise<void> {
	const columns = Object.entries({ ...columnsOf(save), changed_in: sequence });
	const set = columns.map(([name], at) => `${name} = $${at + 1}`).join(', ');
	await run(
		`UPDATE ${dialect.prefix}skills SET ${set} WHERE id = $1`,
		columns.map(([, value]) => value),
	);
	await run(`DELETE FROM ${dialect.prefix}skill_tags WHERE skill_id = $1`, [save.skill.id]);
	await saveTags(run, dialect.prefix, save);
}

async function saveTags(run: RunSql, t: string, { skill, tagKeys }: Save): Promise<void> {
	const rows = tagKeys.map((tag) => ({ tag_key: tag, skill_id: skill.id }));
	await insert(run, `${t}skill_tags`, rows);
}

async function saveFiles(run: RunSql, t: string, save: Save): Promise<void> {
	const { event, skill, put, dropped } = save;
	if (event === 'updated') {
		const replaced = [...dropped, ...put.map(({ pathKey }) => pathKey)];
		await endFiles(run, t, skill, replaced);
	}
	const blobs = new Map(put.map(({ hash, content }) => [hash, { hash, bytes: content }]));
	const there = new Set<SqlValue>();
	for (const some of chunks([...blobs.keys()], () => 0)) {
		const marks = some.map((_, at) => `$${at + 1}`).join(', ');
		const rows = await run(`SELECT hash FROM ${t}blobs WHERE hash IN (${marks})`, some);
		for (const { hash } of rows) there.add(hash);
	}
	await insert(
		run,
		`${t}blobs`,
		[...blobs.values()].filter(({ hash }) => !there.has(hash)),
	);
	const rows = put.map((entry) => ({
		id: entry.id,
		skill_id: skill.id,
		path: entry.path,
		path_key: entry.pathKey,
		hash: entry.hash,
		size: entry.size,
		is_binary: entry.isBinary,
		since: skill.version,
	}));
	await insert(run, `${t}skill_files`, rows);
}

/** Files with these keys are of earlier versions alone. */
async function endFiles(run: RunSql, t: string, skill: LibrarySkill, pathKeys: string[]) {
	for (const some of chunks(pathKeys, () => 0)) {
		const marks = some.map((_, at) => `$${at + 3}`).join(', ');
		await run(
			`UPDATE ${t}skill_files SET until = $1
			WHERE skill_id = $2 AND until IS NULL AND path_key IN (${marks})`,
			[skill.version, skill.id, ...some],
		);
	}
}

async function saveVersion(run: RunSql, t: string, { skill, by }: Save): Promise<void> {
	await insert(run, `${t}skill_versions`, [
		{
			skill_id: skill.id,
			version: skill.version,
			made_at: skill.updatedAt,
			made_by: by,
			name: skill.name,
			description: skill.description,
			tags: JSON.stringify(skill.tags),
			is_public: skill.isPublic,
			owner_id: skill.ownerId,
			extras: JSON.stringify(skill.extras),
			content_hash: skill.contentHash,
		},
	]);
	const oldest = skill.version - MAX_LIBRARY_VERSIONS;
	if (oldest <= 1) return;
	await run(`DELETE FROM ${t}skill_versions WHERE skill_id = $1 AND version < $2`, [
		skill.id,
		oldest,
	]);
	const gone = await run(
		`DELETE FROM ${t}skill_files WHERE skill_id = $1 AND until <= $2 RETURNING hash`,
		[skill.id, oldest],
	);
	await collect(
		run,
		t,
		gone.map(({ hash }) => hash),
	);
}

async function removeSkill(
	run: RunSql,
	dialect: Dialect,
	skill: LibrarySkill,
	at: string,
): Promise<void> {
	const t = dialect.prefix;
	const files = await run(`DELETE FROM ${t}skill_files WHERE skill_id = $1 RETURNING hash`, [
		skill.id,
	]);
	await collect(
		run,
		t,
		files.map(({ hash }) => hash),
	);
	await dialect.search.remove(run, skill.id);
	await run(`DELETE FROM ${t}skills WHERE id = $1`, [skill.id]);
	const sequence = await nextSequence(run, t);
	await log(run, t, { sequence, event: 'deleted', at, skill });
}

/** Removes the contents that no version of any skill holds any more. */
async function collect(run: RunSql, t: string, hashes: SqlValue[]): Promise<void> {
	for (const some of chunks([...new Set(hashes)], () => 0)) {
		const marks = some.map((_, at) => `$${at + 1}`).join(', ');
		await run(
			`DELETE FROM ${t}blobs WHERE hash IN (${marks})
			AND NOT EXISTS (SELECT 1 FROM ${t}skill_files f WHERE f.hash = ${t}blobs.hash)`,
			some,
		);
	}
}

async function nextSequence(run: RunSql, t: string): Promise<number> {
	// Writers come one after the other, so a number is never seen before a lower one.
	const [row] = await run(`UPDATE ${t}library SET sequence = sequence + 1 RETURNING sequence`);
	return Number(row.sequence);
}

async function log(run: RunSql, t: string, change: LoggedChange): Promise<void> {
	const { sequence, event, at, skill, before } = change;
	await insert(run, `${t}changes`, [
		{
			sequence,
			event,
			made_at: at,
			skill: JSON.stringify(skill),
			before: before === undefined ? null : JSON.stringify(before),
		},
	]);
	await run(`DELETE FROM ${t}changes WHERE sequence <= $1`, [sequence - MAX_LIBRARY_CHANGES]);
}

async function addUses(
	run: RunSql,
	{ prefix: t }: Dialect,
	skillIds: string[],
	user: string | null,
	at: string,
): Promise<void> {
	// Always in the same order: two that count the same skills must not wait for each other.
	for (const id of [...skillIds].sort()) {
		await run(
			`INSERT INTO ${t}skill_usage (skill_id, user_id, day, loads, last_used_at)
			SELECT id, $2, $3, 1, $4 FROM ${t}skills WHERE id = $1
			ON CONFLICT (skill_id, user_id, day)
			DO UPDATE SET loads = skill_usage.loads + 1, last_used_at = excluded.last_used_at`,
			[id, user ?? '', at.slice(0, 10), at],
		);
	}
	const oldest = new Date(Date.parse(at) - MAX_USAGE_DAYS * 24 * 60 * 60 * 1000).toISOString();
	await run(`DELETE FROM ${t}skill_usage WHERE day < $1`, [oldest.slice(0, 10)]);
}

async function insert(run: RunSql, table: string, rows: Array<Record<string, SqlValue>>) {
	const sizeOf = (row: Record<string, SqlValue>) => (row.bytes as Uint8Array)?.byteLength ?? 0;
	for (const some of chunks(rows, sizeOf)) {
		const names = Object.keys(some[0]);
		const values = some.flatMap((row) => names.map((name) => row[name]));
		const marks = some.map(
			(_, row) => `(${names.map((__, at) => `$${row * names.length + at + 1}`).join(', ')})`,
		);
		await run(`INSERT INTO ${table} (${names.join(', ')}) VALUES ${marks.join(', ')}`, values);
	}
}

/** Gives back the items in lots that one statement can carry. */
function chunks<T>(items: T[], sizeOf: (item: T) => number): T[][] {
	const lots: T[][] = [];
	let bytes = 0;
	for (const item of items) {
		const lot = lots[lots.length - 1];
		if (lot === undefined || lot.length >= ROWS_PER_INSERT || bytes >= BYTES_PER_INSERT) {
			lots.push([item]);
			bytes = sizeOf(item);
		} else {
			lot.push(item);
			bytes += sizeOf(item);
		}
	}
	return lots;
}
