import type { Scope } from './access';
import type { Entry, Filter, LoggedChange, Lookup, Reader, UsageFilter } from './repository';
import { FILE_COLUMNS, SKILL_COLUMNS, toFile, toFileInfo, toSkill, Values } from './rows';
import type { Dialect, Row, RunSql } from './sql';
import type { LibrarySkill, SkillVersion, SkillWithText, WholeSkill } from './types';

const SIGMA = '\u03c3';
const FINAL_SIGMA = '\u03c2';
/** Without an index, so only for names that have one. */
const ONE_SIGMA = `replace(s.name_key, '${FINAL_SIGMA}', '${SIGMA}')`;

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
		sequence: async () => {
			const [row] = await run(
				`SELECT sequence AS last, (SELECT min(sequence) FROM ${t}changes) AS oldest FROM ${t}library`,
			);
			return { last: Number(row.last), oldest: Number(row.oldest ?? Number(row.last) + 1) };
		},
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

function oneSkill(
	t: string,
	lookup: Lookup,
	scope: Scope,
	values: Values,
	allowed = readable,
): string {
	const select = `SELECT ${SKILL_COLUMNS} FROM ${t}skills s WHERE`;
	if ('id' in lookup) {
		return `${select} s.id = ${values.add(lookup.id)} AND ${allowed(scope, values)}`;
	}
	const conditions = [named(lookup.nameKey, values), allowed(scope, values)];
	if (lookup.ownerId !== undefined) conditions.push(ownedBy(lookup.ownerId, values));
	// One's own comes first, then the system's, then those of others.
	const own = scope.user === null ? 'FALSE' : `s.owner_id = ${values.add(scope.user)}`;
	const rank = `CASE WHEN ${own} THEN 0 WHEN s.owner_id IS NULL THEN 1 ELSE 2 END`;
	if (scope.isEverybody && lookup.ownerId === undefined) {
		// Who may change everybody's skills must not hit somebody's by chance.
		const only = `NOT EXISTS (SELECT 1 FROM ${t}skills o WHERE o.name_key = s.name_key AND o.id <> s.id)`;
		conditions.push(`(${rank} < 2 OR ${only})`);
	}
	return `${select} ${conditions.join(' AND ')} ORDER BY ${rank}, s.owner_id LIMIT 1`;
}

/** A capital sigma stands for two small letters, so names are compared by one of them. */
function named(nameKey: string, values: Values): string {
	const key = withOneSigma(nameKey);
	const column = key.includes(SIGMA) ? ONE_SIGMA : 's.name_key';
	return `${column} = ${values.add(key)}`;
}

function withOneSigma(nameKey: string): string {
	return nameKey.replaceAll(FINAL_SIGMA, SIGMA);
}

function ownedBy(ownerId: string | null, values: Values): string {
	return ownerId === null ? 's.owner_id IS NULL' : `s.owner_id = ${values.add(ownerId)}`;
}

function withText(t: string, skill: string): string {
	return `SELECT s.*, b.bytes FROM (${skill}) s
		JOIN ${t}skill_files f ON f.skill_id = s.id AND f.path_key = '' AND f.until IS NULL
		JOIN ${t}blobs b ON b.hash = f.hash`;
}

function withFile(t: string, skill: string, pathKey: string): string {
	return `SELECT ${FILE_COLUMNS}, b.bytes FROM (${skill}) s
		LEFT JOIN ${t}skill_files f
			ON f.skill_id = s.id AND f.path_key = ${pathKey} AND f.until IS NULL
		LEFT JOIN ${t}blobs b ON b.hash = f.hash`;
}

function withFiles(t: string, skill: string): string {
	return `SELECT ${SKILL_COLUMNS}, ${FILE_COLUMNS}, b.bytes FROM (${skill}) s
		LEFT JOIN ${t}skill_files f ON f.skill_id = s.id AND f.until IS NULL
		LEFT JOIN ${t}blobs b ON b.hash = f.hash
		ORDER BY f.path`;
}

function withFilesThen(t: string, skill: string, version: number, values: Values): string {
	const at = values.add(version);
	return `SELECT s.id, v.name, v.description, v.tags, v.is_public, v.owner_id, v.extras, v.version,
			v.content_hash, s.created_at, v.made_at AS updated_at, ${FILE_COLUMNS}, b.bytes
		FROM (${skill}) s
		JOIN ${t}skill_versions v ON v.skill_id = s.id AND v.version = ${at}
		LEFT JOIN ${t}skill_files f
			ON f.skill_id = s.id AND f.since <= ${at} AND (f.until IS NULL OR f.until > ${at})
		LEFT JOIN ${t}blobs b ON b.hash = f.hash
		ORDER BY f.path`;
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
	const from = `FROM ${prefix}skills s ${join} WHERE ${conditions.join(' AND ')}`;
	if (filter.offset === undefined) {
		return `SELECT ${SKILL_COLUMNS} ${from} ORDER BY ${order} ${limit}`;
	}
	// Where the last page ended now: skills before it may have come or gone.
	const isBehind = dialect.isOneOf('id', values.add(JSON.stringify(filter.behind ?? [])));
	const end = `coalesce((SELECT max(place) FROM ranked WHERE ${isBehind}), ${values.add(filter.offset)})`;
	return `WITH ranked AS (SELECT ${SKILL_COLUMNS}, row_number() OVER (ORDER BY ${order}) AS place ${from})
		SELECT ${SKILL_COLUMNS} FROM ranked s WHERE s.place > ${end} ORDER BY s.place ${limit}`;
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
		const keys = nameKeys.map(withOneSigma);
		const column = keys.some((key) => key.includes(SIGMA)) ? ONE_SIGMA : 's.name_key';
		conditions.push(dialect.isOneOf(column, values.add(JSON.stringify(keys))));
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
