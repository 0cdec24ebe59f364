import type { ICredentialTestFunction, ICredentialTestFunctions } from 'n8n-workflow';

import { AgentSkillsHttpApi } from '../../credentials/AgentSkillsHttpApi.credentials';
import { messageOf, SkillError } from '../core/errors';
import { createHttpClient, HttpFailure } from '../core/http';
import { assertAccess } from '../core/probe';
import { exchangeOver, type Send } from './http';

type Credential = Parameters<ICredentialTestFunction>[0];

/** Gives back whether the server of an HTTP credential takes its secret, and if not, why. */
export const testHttpCredential: ICredentialTestFunction = async function (credential) {
	const url = String(credential.data?.url ?? '');
	try {
		const exchange = exchangeOver(sendWith(this, credential.data ?? {}));
		await assertAccess(createHttpClient(exchange, url), url);
		return { status: 'OK', message: 'The server answers.' };
	} catch (error) {
		return { status: 'Error', message: explained(error) };
	}
};

/** Gives back requests through the one helper that n8n has for tests of credentials, an older one. */
function sendWith(
	{ helpers }: ICredentialTestFunctions,
	data: NonNullable<Credential['data']>,
): Send {
	const type = new AgentSkillsHttpApi();
	return async (options, authenticate) => {
		const request = authenticate ? await type.authenticate(data, options) : options;
		const { url, method, headers, body, auth, timeout } = request;
		return await helpers.request({
			...{ url, method, headers, timeout },
			...(body === undefined ? {} : { body }),
			...(auth === undefined ? {} : { auth }),
			useStream: true,
			resolveWithFullResponse: true,
			simple: false,
			followRedirect: false,
		});
	};
}

function explained(error: unknown): string {
	if (error instanceof SkillError) return [error.message, error.hint].filter(Boolean).join(' ');
	if (error instanceof HttpFailure && error.kind !== 'refused') {
		return `The server could not be reached: ${error.message}`;
	}
	return messageOf(error);
}
