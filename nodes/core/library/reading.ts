import type { Scope } from './access';
import type { Filter, LoggedChange, Lookup, Reader, UsageFilter } from './repository';
import { missedChanges } from './missed';
import { FILE_COLUMNS, SKILL_COLUMNS, toFile, toFileInfo, toSkill, Values } from './rows';
import type { Dialect, Row, RunSql } from './sql';
import type { LibrarySkill, SkillVersion, WholeSkill } from './types';

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
		get: async (lookup, scope, version) => {
			const values = new Values();
			const skill = oneSkill(t, lookup, scope, values);
			return wholeSkill(await run(withFiles(t, skill, version, values), values.list));
		},
		list: async (filter, scope) => {
			const values = new Values();
			return (await run(listing(dialect, filter, scope, values), values.list)).map(toSkill);
		},
		entries: async (skillId) => {
			const now = `f.skill_id = $1 AND f.until IS NULL`;
			const rows = await run(
				`SELECT ${FILE_COLUMNS} FROM ${t}skill_files f WHERE ${now} ORDER BY f.path`,
				[skillId],
			);
			return rows.map((row) => ({ ...toFileInfo(row), pathKey: row.path_key as string }));
		},
		file: async (skillId, pathKey) =>
			await first(
				`SELECT ${FILE_COLUMNS}, b.bytes FROM ${t}skill_files f
				JOIN ${t}blobs b ON b.hash = f.hash
				WHERE f.skill_id = $1 AND f.path_key = $2 AND f.until IS NULL`,
				[skillId, pathKey],
				toFile,
			),
		locate: async (fileId) =>
			await first(
				`SELECT skill_id, path FROM ${t}skill_files WHERE id = $1 AND until IS NULL AND path <> ''`,
				[fileId],
				(row) => ({ skillId: row.skill_id as string, path: row.path as string }),
			),
		versions: async (skillId) => {
			const rows = await run(
				`SELECT version, made_at, made_by, name, description, content_hash
				FROM ${t}skill_versions WHERE skill_id = $1 ORDER BY version DESC`,
				[skillId],
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

/** Says `mayRead` in SQL. */
function readable({ user, isEverybody }: Scope, values: Values): string {
	if (isEverybody) return 'TRUE';
	return user === null ? 's.is_public' : `(s.is_public OR s.owner_id = ${values.add(user)})`;
}

/** Says `mayWrite` in SQL. */
function writable({ user, isEverybody }: Scope, values: Values): string {
	if (isEverybody) return 'TRUE';
	return user === null ? 'FALSE' : `s.owner_id = ${values.add(user)}`;
}

function oneSkill(t: string, lookup: Lookup, scope: Scope, values: Values): string {
	const select = `SELECT ${SKILL_COLUMNS} FROM ${t}skills s WHERE`;
	if ('id' in lookup) {
		return `${select} s.id = ${values.add(lookup.id)} AND ${readable(scope, values)}`;
	}
	const conditions = [`s.name_key = ${values.add(lookup.nameKey)}`, readable(scope, values)];
	if (lookup.ownerId !== undefined) conditions.push(ownedBy(lookup.ownerId, values));
	// One's own comes first, then the system's, then those of others.
	const own = scope.user === null ? 'FALSE' : `s.owner_id = ${values.add(scope.user)}`;
	const rank = `CASE WHEN ${own} THEN 0 WHEN s.owner_id IS NULL THEN 1 ELSE 2 END`;
	return `${select} ${conditions.join(' AND ')} ORDER BY ${rank}, s.owner_id LIMIT 1`;
}

function ownedBy(ownerId: string | null, values: Values): string {
	return ownerId === null ? 's.owner_id IS NULL' : `s.owner_id = ${values.add(ownerId)}`;
}

function withFiles(t: string, skill: string, version: number | undefined, values: Values): string {
	const isThere = version === undefined ? 'f.until IS NULL' : validIn(version, values);
	const then =
		version === undefined
			? SKILL_COLUMNS
			: `s.id, v.name, v.description, v.tags, v.is_public, v.owner_id, v.extras, v.version,
				v.content_hash, s.created_at, v.made_at AS updated_at`;
	const versions =
		version === undefined
			? ''
			: `JOIN ${t}skill_versions v ON v.skill_id = s.id AND v.version = ${values.add(version)}`;
	return `SELECT ${then}, ${FILE_COLUMNS}, b.bytes
		FROM (${skill}) s ${versions}
		LEFT JOIN ${t}skill_files f ON f.skill_id = s.id AND ${isThere}
		LEFT JOIN ${t}blobs b ON b.hash = f.hash
		ORDER BY f.path`;
}

function validIn(version: number, values: Values): string {
	const at = values.add(version);
	return `f.since <= ${at} AND (f.until IS NULL OR f.until > ${at})`;
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

function listing(dialect: Dialect, filter: Filter, scope: Scope, values: Values): string {
	const { prefix, search } = dialect;
	const conditions = [readable(scope, values), ...conditionsOf(dialect, filter, scope, values)];
	let join = '';
	let order = 's.name_key, s.id';
	if (filter.words !== undefined) {
		const query = values.add(search.query(filter.words));
		join = search.join;
		conditions.push(search.matches(query));
		order = `${search.order(query)}, ${order}`;
	}
	const limit = filter.limit === undefined ? '' : `LIMIT ${values.add(filter.limit)}`;
	const offset = filter.offset ? `OFFSET ${values.add(filter.offset)}` : '';
	return `SELECT ${SKILL_COLUMNS} FROM ${prefix}skills s ${join}
		WHERE ${conditions.join(' AND ')} ORDER BY ${order} ${limit} ${offset}`;
}

function conditionsOf(dialect: Dialect, filter: Filter, scope: Scope, values: Values): string[] {
	const { tagKeys = [], ownerId, visibility, ownOnly, nameKeys, changedSince, after } = filter;
	const hasTag = (tag: string) =>
		`EXISTS (SELECT 1 FROM ${dialect.prefix}skill_tags g
			WHERE g.skill_id = s.id AND g.tag_key = ${values.add(tag)})`;
	const conditions = tagKeys.map(hasTag);
	if (ownerId !== undefined) conditions.push(ownedBy(ownerId, values));
	if (visibility === 'system') conditions.push('s.owner_id IS NULL');
	if (visibility === 'public') conditions.push('s.is_public AND s.owner_id IS NOT NULL');
	if (visibility === 'private') conditions.push('NOT s.is_public');
	if (ownOnly) {
		const own = scope.user === null ? '' : ` OR s.owner_id = ${values.add(scope.user)}`;
		conditions.push(`(s.owner_id IS NULL${own})`);
	}
	if (nameKeys !== undefined) {
		conditions.push(dialect.isOneOf('s.name_key', values.add(JSON.stringify(nameKeys))));
	}
	if (changedSince !== undefined) conditions.push(`s.updated_at >= ${values.add(changedSince)}`);
	if (after !== undefined) {
		const place = `(${values.add(after.nameKey)}, ${values.add(after.id)})`;
		conditions.push(`(s.name_key, s.id) > ${place}`);
	}
	return conditions;
}

function usageOf(t: string, filter: UsageFilter, scope: Scope, values: Values): string {
	const keys = { total: [], user: ['u.user_id'], day: ['u.user_id', 'u.day'] }[filter.by];
	const columns = ['u.skill_id', 's.name', ...keys].join(', ');
	const own = `u.user_id = ${values.add(scope.user ?? '')}`;
	const conditions = [readable(scope, values), `(${own} OR ${writable(scope, values)})`];
	if (filter.skillId !== undefined) conditions.push(`u.skill_id = ${values.add(filter.skillId)}`);
	if (filter.since !== undefined) conditions.push(`u.day >= ${values.add(filter.since)}`);
	return `SELECT ${columns}, sum(u.loads) AS loads, max(u.last_used_at) AS last_used_at
		FROM ${t}skill_usage u JOIN ${t}skills s ON s.id = u.skill_id
		WHERE ${conditions.join(' AND ')} GROUP BY ${columns}
		ORDER BY ${filter.by === 'day' ? 'u.day DESC, ' : ''}loads DESC, s.name, u.skill_id`;
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
