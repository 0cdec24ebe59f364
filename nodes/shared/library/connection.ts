import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { messageOf } from '../../core/errors';
import type { PostgresSettings } from '../../core/library/postgres-settings';
import { hintOf } from '../errors';

/** Tells whether the Postgres server of a credential can be used; nothing is changed there. */
export async function testPostgres(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		const { testConnection } = await import('../../core/library/postgres');
		const message = await testConnection((data ?? {}) as unknown as PostgresSettings);
		return { status: 'OK', message };
	} catch (error) {
		return {
			status: 'Error',
			message: [messageOf(error), hintOf(error)].filter(Boolean).join(' '),
		};
	}
}
