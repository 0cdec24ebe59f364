import { missedChanges } from './missed';
import type { Entry, LoggedChange, Reader } from './repository';
import { FILE_COLUMNS, toFile, toFileInfo, toSkill, Values } from './rows';
import type { Dialect, Row, RunSql } from './sql';
import {
	listing,
	oneSkill,
	usageOf,
	withFile,
	withFiles,
	withFilesThen,
	withText,
	writable,
} from './statements';
import type { LibrarySkill, SkillVersion, SkillWithText, WholeSkill } from './types';

/** Gives back what can be asked of the tables through `run`. */
export function createReader(run: RunSql, dialect: Dialect): Reader {
	const t = dialect.prefix;
	const first = async <T>(text: string, values: Row[string][], convert: (row: Row) => T) => {
		const [row] = await run(text, values);
		return row === undefined ? null : convert(row);
	};
	return {
		find: async (lookup, scope) => {
			const values = new Values();
			return await first(oneSkill(t, lookup, scope, values), values.list, toSkill);
		},
		text: async (lookup, scope) => {
			const values = new Values();
			const skill = oneSkill(t, lookup, scope, values);
			return await first(withText(t, skill), values.list, toSkillWithText);
		},
		get: async (lookup, scope) => {
			const values = new Values();
			const skill = oneSkill(t, lookup, scope, values);
			return wholeSkill(await run(withFiles(t, skill), values.list));
		},
		version: async (lookup, scope, version) => {
			const values = new Values();
			const skill = oneSkill(t, lookup, scope, values, writable);
			return wholeSkill(await run(withFilesThen(t, skill, version, values), values.list));
		},
		list: async (filter, scope) => {
			const values = new Values();
			return (await run(listing(dialect, filter, scope, values), values.list)).map(toSkill);
		},
		entries: async (lookup, scope) => {
			const values = new Values();
			const skill = oneSkill(t, lookup, scope, values);
			const rows = await run(
				`SELECT ${FILE_COLUMNS} FROM (${skill}) s
				JOIN ${t}skill_files f ON f.skill_id = s.id AND f.until IS NULL ORDER BY f.path`,
				values.list,
			);
			// Every skill has a text, so one without files is none.
			return rows.length === 0 ? null : rows.map(toEntry);
		},
		file: async (lookup, scope, pathKey) => {
			const values = new Values();
			const skill = oneSkill(t, lookup, scope, values);
			return await first(withFile(t, skill, values.add(pathKey)), values.list, (row) =>
				row.file_id === null ? undefined : toFile(row),
			);
		},
		locate: async (fileId) =>
			await first(
				`SELECT skill_id, path FROM ${t}skill_files WHERE id = $1 AND until IS NULL AND path <> ''`,
				[fileId],
				(row) => ({ skillId: row.skill_id as string, path: row.path as string }),
			),
		versions: async (lookup, scope) => {
			const values = new Values();
			const skill = oneSkill(t, lookup, scope, values, writable);
			const rows = await run(
				`SELECT v.version, v.made_at, v.made_by, v.name, v.description, v.content_hash
				FROM (${skill}) s JOIN ${t}skill_versions v ON v.skill_id = s.id
				ORDER BY v.version DESC`,
				values.list,
			);
			return rows.map(toVersion);
		},
		usage: async (filter, scope) => {
			const values = new Values();
			const rows = await run(usageOf(t, filter, scope, values), values.list);
			return rows.map((row) => ({
				skillId: row.skill_id as string,
				name: row.name as string,
				...(filter.by === 'total' ? {} : { user: (row.user_id as string) || null }),
				...(filter.by === 'day' ? { day: row.day as string } : {}),
				loads: Number(row.loads),
				lastUsedAt: row.last_used_at as string,
			}));
		},
		changes: async (after, limit) => {
			const rows = await run(
				`SELECT sequence, event, made_at, skill, before FROM ${t}changes
				WHERE sequence > $1 ORDER BY sequence LIMIT $2`,
				[after, limit],
			);
			return rows.map(toChange);
		},
		missed: async (after, before) => await missedChanges(run, t, after, before),
		stamp: async () => Number((await run(`SELECT sequence FROM ${t}library`))[0].sequence),
	};
}

function wholeSkill(rows: Row[]): WholeSkill | null {
	if (rows.length === 0) return null;
	const files = rows.map(toFile);
	const text = files.find(({ path }) => path === '');
	return {
		...toSkill(rows[0]),
		content: Buffer.from(text?.content ?? []).toString('utf8'),
		files: files.filter(({ path }) => path !== ''),
	};
}

function toSkillWithText(row: Row): SkillWithText {
	return { ...toSkill(row), content: Buffer.from(row.bytes as Uint8Array).toString('utf8') };
}

function toEntry(row: Row): Entry {
	return { ...toFileInfo(row), pathKey: row.path_key as string };
}

function toVersion(row: Row): SkillVersion {
	return {
		version: row.version as number,
		at: row.made_at as string,
		by: row.made_by as string | null,
		name: row.name as string,
		description: row.description as string,
		contentHash: row.content_hash as string,
	};
}

function toChange(row: Row): LoggedChange {
	return {
		sequence: Number(row.sequence),
		event: row.event as LoggedChange['event'],
		at: row.made_at as string,
		skill: JSON.parse(row.skill as string) as LibrarySkill,
		...(row.before === null ? {} : { before: JSON.parse(row.before as string) as LibrarySkill }),
	};
}
