/** A value that goes into a database or comes out of it. */
export type SqlValue = string | number | boolean | null | Uint8Array;

/** A row by the names of its columns. */
export type Row = Record<string, SqlValue>;

/** Runs one statement, in which `$1`, `$2`, … stand for the values, and gives back its rows. */
export type RunSql = (text: string, values?: SqlValue[]) => Promise<Row[]>;

/** The four texts in which words are looked for, most telling first. */
export interface SearchTexts {
	name: string;
	description: string;
	tags: string;
	body: string;
}

/** What the SQL of one database does differently. */
export interface Dialect {
	/** Stands before the name of each table. */
	prefix: string;
	/** Gives back the condition that a column is one of a JSON list of texts. */
	isOneOf(column: string, parameter: string): string;
	/** Statements that lead from one version of the schema to the next. */
	migrations: string[][];
	/** One row if the tables are there. */
	isThere: string;
	/** Full text; the table of skills is `s`. */
	search: {
		join: string;
		matches(parameter: string): string;
		/** Best first. */
		order(parameter: string): string;
		/** Gives back the value to be matched; the words are letters and digits only. */
		query(words: string[]): string;
		/** Puts the words of a skill in the place of earlier ones. */
		index(run: RunSql, skillId: string, texts: SearchTexts): Promise<void>;
		/** Forgets the words of a skill. */
		remove(run: RunSql, skillId: string): Promise<void>;
	};
}

/** A database that speaks SQL. Its errors are `LibraryError`s. */
export interface SqlDatabase {
	/** Equal for two that are the same place; without secrets. */
	readonly id: string;
	readonly dialect: Dialect;
	/** One statement that writes nothing: it sees one state of the database. */
	read: RunSql;
	/** All or nothing, and never two at the same time, whichever process they are of. */
	write<T>(work: (run: RunSql) => Promise<T>): Promise<T>;
	/** All or nothing, beside writers of other processes where the database can. */
	append<T>(work: (run: RunSql) => Promise<T>): Promise<T>;
	close(): Promise<void>;
}
