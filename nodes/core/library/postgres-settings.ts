import { invalid } from './checks';

/** Where a Postgres database is, and who asks. */
export interface PostgresSettings {
	host: string;
	port: number;
	database: string;
	user: string;
	password: string;
	/** `require` encrypts without a look at the server's certificate. */
	ssl: 'disable' | 'require' | 'verify';
	/** Certificate of the authority that signed the server's, as PEM. */
	ca?: string;
	schema: string;
}

/** Longest name of a schema, in bytes; Postgres would cut a longer one. */
const MAX_IDENTIFIER_BYTES = 63;
const MAX_PORT = 65535;

/** Gives back settings without gaps: the driver would fill them from the environment of n8n. */
export function checkedSettings(settings: PostgresSettings): PostgresSettings {
	const text = (name: 'host' | 'database' | 'user' | 'schema') => {
		const value = String(settings[name] ?? '').trim();
		if (value !== '' && !value.includes('\0')) return value;
		throw invalid(`The Postgres credential has no ${name}.`, 'Open the credential and fill it in.');
	};
	const port = Number(settings.port);
	if (!Number.isInteger(port) || port < 1 || port > MAX_PORT) {
		throw invalid('The port in the Postgres credential is not one.', 'Usually it is 5432.');
	}
	const schema = text('schema');
	if (Buffer.byteLength(schema) > MAX_IDENTIFIER_BYTES || /^pg_/i.test(schema)) {
		throw invalid(
			`Postgres has no room for a schema named "${schema}".`,
			`Choose a name of at most ${MAX_IDENTIFIER_BYTES} letters that does not start with pg_.`,
		);
	}
	return {
		...settings,
		host: text('host'),
		port,
		database: text('database'),
		user: text('user'),
		password: String(settings.password ?? ''),
		schema,
	};
}

/** Gives back where a library is, without secrets. */
export function placeOf({ user, host, port, database, schema }: PostgresSettings): string {
	return `${user}@${host}:${port}/${database}, schema ${schema}`;
}
