import { indexedWords } from './query';
import { firstSchema, secondSchema, type ColumnTypes } from './schema';
import type { Dialect, SearchTexts } from './sql';

/** Postgres keeps no place behind this one, and not more places of one word than so many. */
const MAX_POSITION = 16383;
const MAX_POSITIONS_OF_WORD = 16;
// How telling a word is by where it stands; Postgres weighs them 1, 0.4, 0.2 and 0.1.
const WEIGHTS: Array<[keyof SearchTexts, string]> = [
	['name', 'A'],
	['description', 'B'],
	['tags', 'C'],
	['body', 'D'],
];

const COLUMN_TYPES: ColumnTypes = {
	json: 'JSON',
	bytes: 'BYTEA',
	time: 'TIMESTAMPTZ',
	bool: 'BOOLEAN',
	key: 'TEXT COLLATE "C"',
	rowId: '',
};

/** Gives back how the library speaks to Postgres; both are the schema, quoted as SQL wants it. */
export function postgresDialect(schema: { identifier: string; literal: string }): Dialect {
	const t = `${schema.identifier}.`;
	return {
		prefix: t,
		isOneOf: (column, parameter) =>
			`${column} IN (SELECT json_array_elements_text(CAST(${parameter} AS json)))`,
		isThere: `SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = ${schema.literal} AND tablename = 'library'`,
		migrations: [
			[
				...firstSchema(t, COLUMN_TYPES),
				`CREATE TABLE ${t}skill_search (
					skill_id TEXT COLLATE "C" PRIMARY KEY REFERENCES ${t}skills (id) ON DELETE CASCADE,
					words TSVECTOR NOT NULL
				)`,
				`CREATE INDEX skill_search_words ON ${t}skill_search USING gin (words)`,
			],
			secondSchema(t, COLUMN_TYPES, 'CAST(gen_random_uuid() AS TEXT)'),
		],
		search: {
			join: `JOIN ${t}skill_search x ON x.skill_id = s.id`,
			matches: (parameter) => `x.words @@ CAST(${parameter} AS tsquery)`,
			order: (parameter) => `ts_rank(x.words, CAST(${parameter} AS tsquery)) DESC`,
			query: (words) => words.map((word) => `'${word}':*`).join(' & '),
			index: async (run, skillId, texts) => {
				await run(
					`INSERT INTO ${t}skill_search (skill_id, words) VALUES ($1, CAST($2 AS tsvector))
					ON CONFLICT (skill_id) DO UPDATE SET words = excluded.words`,
					[skillId, searchVector(texts)],
				);
			},
			// The row goes with its skill.
			remove: async () => undefined,
		},
	};
}

/**
 * Gives back the words with their places and weights. Postgres's own parser is not asked: it takes
 * `utils.py` for a host, and SQLite would find other words.
 */
function searchVector(texts: SearchTexts): string {
	const places = new Map<string, string[]>();
	let position = 0;
	for (const [field, weight] of WEIGHTS) {
		for (const word of indexedWords(texts[field])) {
			position = Math.min(position + 1, MAX_POSITION);
			const known = places.get(word) ?? [];
			if (known.length < MAX_POSITIONS_OF_WORD) known.push(`${position}${weight}`);
			places.set(word, known);
		}
	}
	return [...places].map(([word, known]) => `'${word}':${known.join(',')}`).join(' ');
}
