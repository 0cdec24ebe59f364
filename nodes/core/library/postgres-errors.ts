import { messageOf } from '../errors';
import { LibraryError } from './types';

const CHECK_ADDRESS = 'Check host and port in the credential, and that the server lets n8n in.';

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
	'57014': ['it took too long', 'Try again; another n8n may have been writing much at this time.'],
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

/** Gives back an error of Postgres as a person understands it. */
export function explainPostgres(error: unknown, place: string): LibraryError {
	if (error instanceof LibraryError) return error;
	const [message, hint] = EXPLAINED[codeOf(error)] ?? [
		messageOf(error) || codeOf(error) || 'it does not answer',
		CHECK_ADDRESS,
	];
	return new LibraryError(
		'database-unavailable',
		`The library in Postgres (${place}) cannot be used: ${message}.`,
		hint,
	);
}

function codeOf(error: unknown): string {
	// A host with several addresses fails with one error for each of them.
	const errors = (error as AggregateError)?.errors as Array<{ code?: string }> | undefined;
	return String((error as { code?: string })?.code ?? errors?.[0]?.code ?? '');
}
