import { messageOf } from '../errors';
import { invalid } from './checks';
import { LibraryError } from './types';

const CHECK_ADDRESS = 'Check host and port in the credential, and that the server lets n8n in.';

const TOO_LONG: [string, string] = [
	'it took too long',
	'Try again; another n8n may have been writing much at this time.',
];

// https://www.postgresql.org/docs/current/errcodes-appendix.html, and the codes of Node's sockets.
const EXPLAINED: Record<string, [message: string, hint: string]> = {
	'28P01': ['it refuses the user or the password', 'Check user and password in the credential.'],
	'28000': [
		'it does not let this user in from here',
		'Check the user and SSL in the credential, and pg_hba.conf on the server.',
	],
	'3D000': ['it has no such database', 'Check the database in the credential, or create it.'],
	'42501': [
		'this user may not do what is needed',
		'Let the user create in the schema of the credential: GRANT USAGE, CREATE ON SCHEMA …',
	],
	'53300': ['it has too many connections', 'Let it accept more (max_connections), or wait.'],
	'57014': TOO_LONG,
	ECONNREFUSED: ['nothing answers there', CHECK_ADDRESS],
	ENOTFOUND: ['there is no such host', CHECK_ADDRESS],
	ETIMEDOUT: ['it does not answer', CHECK_ADDRESS],
};

/** Tells whether an error is of the connection, not of what was asked: to ask again may help. */
export function isConnectionLost(error: unknown): boolean {
	const code = codeOf(error);
	const isOfServer = /^[0-9A-Z]{5}$/.test(code);
	if (isOfServer) return /^(?:08|57P)/.test(code);
	return /^E[A-Z]+$/.test(code) || /terminated|not queryable|ended/i.test(messageOf(error));
}

// What the driver says without a code.
const SAID: Array<[RegExp, [message: string, hint: string]]> = [
	[
		/timeout exceeded when trying to connect/,
		[
			'too much was asked at once, and no connection became free in time',
			'Try again; all connections of this n8n were busy for seconds.',
		],
	],
	[/Query read timeout/, TOO_LONG],
	[/connection timeout/, ['it does not answer', CHECK_ADDRESS]],
	[
		/CERT|UNABLE_TO_VERIFY|certificate/,
		[
			'the certificate of the server is not trusted',
			'Check "CA Certificate" and the host in the credential.',
		],
	],
	[/password must be/, ['it asks for a password', 'Fill in the password in the credential.']],
	[/does not support SSL/, ['the server does not support SSL', 'Set SSL in the credential.']],
];

/**
 * Gives back an error of Postgres as a person understands it. Who asks over the web may be shown the
 * message, so user, host and schema, and what the server itself says, stand in the hint.
 */
export function explainPostgres(error: unknown, place: string): LibraryError {
	if (error instanceof LibraryError) return error;
	const code = codeOf(error);
	const said = messageOf(error) || code || 'nothing';
	// Class 22: a value that Postgres does not take.
	if (/^22[0-9A-Z]{3}$/.test(code)) return invalid('The database does not take a value.', said);
	const [message, hint] = EXPLAINED[code] ??
		SAID.find(([pattern]) => pattern.test(`${code} ${said}`))?.[1] ?? [
			'its database reports an error',
			isConnectionLost(error) ? CHECK_ADDRESS : 'Look for what the database says.',
		];
	return new LibraryError(
		'database-unavailable',
		`The skill library cannot be used: ${message}.`,
		`${hint} (${place}: ${said})`,
	);
}

function codeOf(error: unknown): string {
	// A host with several addresses fails with one error for each of them.
	const errors = (error as AggregateError)?.errors as Array<{ code?: string }> | undefined;
	return String((error as { code?: string })?.code ?? errors?.[0]?.code ?? '');
}
