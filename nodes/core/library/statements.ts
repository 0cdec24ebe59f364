import type { Scope } from './access';
import type { Filter, Lookup, UsageFilter } from './repository';
import { FILE_COLUMNS, SKILL_COLUMNS, type Values } from './rows';
import type { Dialect } from './sql';

const SIGMA = '\u03c3';
const FINAL_SIGMA = '\u03c2';

/** Says `mayRead` in SQL. */
function readable({ user, isEverybody }: Scope, values: Values): string {
	if (isEverybody) return 'TRUE';
	return user === null ? 's.is_public' : `(s.is_public OR s.owner_id = ${values.add(user)})`;
}

/** Says `mayWrite` in SQL. */
export function writable({ user, isEverybody }: Scope, values: Values): string {
	if (isEverybody) return 'TRUE';
	return user === null ? 'FALSE' : `s.owner_id = ${values.add(user)}`;
}

/** Asks for the one skill that is meant, if it may be read, or whatever else is `allowed`. */
export function oneSkill(
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
		const other = `${named(lookup.nameKey, values, 'o')} AND o.id <> s.id`;
		const only = `NOT EXISTS (SELECT 1 FROM ${t}skills o WHERE ${other})`;
		conditions.push(`(${rank} < 2 OR ${only})`);
	}
	return `${select} ${conditions.join(' AND ')} ORDER BY ${rank}, s.owner_id LIMIT 1`;
}

/** A capital sigma stands for two small letters, so names are compared by one of them. */
function named(nameKey: string, values: Values, table = 's'): string {
	const key = withOneSigma(nameKey);
	return `${nameColumn([key], table)} = ${values.add(key)}`;
}

/** Without an index where a key has a sigma, so only there. */
function nameColumn(keys: string[], table: string): string {
	const column = `${table}.name_key`;
	if (!keys.some((key) => key.includes(SIGMA))) return column;
	return `replace(${column}, '${FINAL_SIGMA}', '${SIGMA}')`;
}

function withOneSigma(nameKey: string): string {
	return nameKey.replaceAll(FINAL_SIGMA, SIGMA);
}

function ownedBy(ownerId: string | null, values: Values): string {
	return ownerId === null ? 's.owner_id IS NULL' : `s.owner_id = ${values.add(ownerId)}`;
}

/** Asks for a skill with its text. */
export function withText(t: string, skill: string): string {
	return `SELECT s.*, b.bytes FROM (${skill}) s
		JOIN ${t}skill_files f ON f.skill_id = s.id AND f.path_key = '' AND f.until IS NULL
		JOIN ${t}blobs b ON b.hash = f.hash`;
}

/** Asks for a skill with one file; without it there is a row all the same. */
export function withFile(t: string, skill: string, pathKey: string): string {
	return `SELECT ${FILE_COLUMNS}, b.bytes FROM (${skill}) s
		LEFT JOIN ${t}skill_files f
			ON f.skill_id = s.id AND f.path_key = ${pathKey} AND f.until IS NULL
		LEFT JOIN ${t}blobs b ON b.hash = f.hash`;
}

/** Asks for a skill with text and files. */
export function withFiles(t: string, skill: string): string {
	return `SELECT ${SKILL_COLUMNS}, ${FILE_COLUMNS}, b.bytes FROM (${skill}) s
		LEFT JOIN ${t}skill_files f ON f.skill_id = s.id AND f.until IS NULL
		LEFT JOIN ${t}blobs b ON b.hash = f.hash
		ORDER BY f.path`;
}

/** Asks for a skill with text and files as they were in a version. */
export function withFilesThen(t: string, skill: string, version: number, values: Values): string {
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

/** Asks for the skills that fit. */
export function listing(dialect: Dialect, filter: Filter, scope: Scope, values: Values): string {
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
		conditions.push(dialect.isOneOf(nameColumn(keys, 's'), values.add(JSON.stringify(keys))));
	}
	if (changedSince !== undefined) conditions.push(`s.updated_at >= ${values.add(changedSince)}`);
	if (after !== undefined) {
		const place = `(${values.add(after.nameKey)}, ${values.add(after.id)})`;
		conditions.push(`(s.name_key, s.id) > ${place}`);
	}
	return conditions;
}

/** Asks how often skills were loaded. */
export function usageOf(t: string, filter: UsageFilter, scope: Scope, values: Values): string {
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
