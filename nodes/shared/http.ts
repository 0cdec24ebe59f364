import { createHmac, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';

import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { messageOf, SkillError } from '../core/errors';
import {
	createHttpClient,
	HttpFailure,
	parseUrl,
	type HttpClient,
	type HttpExchange,
} from '../core/http';
import { echo } from '../core/text';
import type { NodeContext } from './context';

/** Type name of our credential for web servers. */
export const HTTP_CREDENTIAL = 'agentSkillsHttpApi';

/** Sends one request, with or without the secret; any status is an answer, its body a stream. */
export type Send = (
	options: IHttpRequestOptions,
	authenticate: boolean,
) => Promise<IN8nHttpFullResponse>;

/**
 * Gives back exchanges through n8n's own request helper, so that its proxy settings and its SSRF
 * protection apply. The credential is added by n8n; it is never seen here.
 */
export function httpExchange(context: NodeContext, credentialType?: string): HttpExchange {
	return exchangeOver(async (options, authenticate) => {
		const { httpRequest, httpRequestWithAuthentication } = context.helpers;
		const answer: unknown =
			authenticate && credentialType
				? await httpRequestWithAuthentication.call(context, credentialType, options)
				: await httpRequest.call(context, options);
		return answer as IN8nHttpFullResponse;
	});
}

/** Gives back exchanges with one clock for answer and body, and a limit for the body. */
export function exchangeOver(send: Send): HttpExchange {
	return async (request, { timeoutMs, authenticate }) => {
		const cancel = new AbortController();
		const options: IHttpRequestOptions = {
			url: request.url,
			method: request.method ?? 'GET',
			headers: { ...request.headers },
			...(request.body === undefined ? {} : { body: request.body }),
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			timeout: timeoutMs,
			abortSignal: cancel.signal,
		};
		let timer: NodeJS.Timeout | undefined;
		// With a credential n8n puts a signal of its own in the place of ours, so the clock must win alone.
		const late = new Promise<never>((_, reject) => {
			timer = setTimeout(() => {
				reject(new HttpFailure('timeout', `no answer within ${timeoutMs / 1000} seconds`));
				cancel.abort();
			}, timeoutMs);
		});
		const exchange = async () => {
			const answer = await send(options, authenticate);
			const stream = answer.body as unknown as Readable;
			if (request.withoutBody) stream.destroy();
			const body = request.withoutBody
				? new Uint8Array()
				: await readBody(stream, request.maxBytes, cancel.signal);
			return { url: request.url, status: answer.statusCode, headers: lowerCase(answer), body };
		};
		try {
			return await Promise.race([exchange(), late]);
		} catch (error) {
			throw error instanceof HttpFailure ? error : toFailure(error);
		} finally {
			clearTimeout(timer);
		}
	};
}

/**
 * Gives back a client for a server, with the credential that the node chose. The secret goes to the
 * server that the credential names and to no other.
 */
export async function httpAccess(
	context: NodeContext,
	itemIndex: number,
	url: string,
): Promise<{ client: HttpClient; identity: string }> {
	const chosen = context.getNodeParameter('authentication', itemIndex, 'none');
	if (chosen !== HTTP_CREDENTIAL) {
		return { client: createHttpClient(httpExchange(context), url), identity: '' };
	}
	const { url: named } = await context.getCredentials(HTTP_CREDENTIAL, itemIndex);
	const [wanted, allowed] = [parseUrl(url).origin, parseUrl(String(named)).origin];
	if (wanted !== allowed) {
		throw new SkillError(
			'source-invalid',
			`The credential is for ${allowed}, not for ${wanted}.`,
			'Choose another credential, or correct the address in one of them.',
		);
	}
	return {
		client: createHttpClient(httpExchange(context, HTTP_CREDENTIAL), url),
		identity: await credentialIdentity(context, itemIndex, HTTP_CREDENTIAL),
	};
}

// The key dies with the process, so the identity tells nothing of the secret to anybody.
const IDENTITY_KEY = randomBytes(32);

/**
 * Gives back what tells one credential from another, by what it holds now: one credential may hold
 * an expression, or be resolved for each user, and its secret may be exchanged.
 */
export async function credentialIdentity(
	context: NodeContext,
	itemIndex: number,
	credentialType: string,
): Promise<string> {
	const held = await context.getCredentials(credentialType, itemIndex);
	const digest = createHmac('sha256', IDENTITY_KEY).update(JSON.stringify(held)).digest('base64');
	return JSON.stringify([context.getNode().credentials?.[credentialType], digest]);
}

async function readBody(
	stream: Readable,
	maxBytes: number,
	signal: AbortSignal,
): Promise<Uint8Array> {
	const stop = () => stream.destroy();
	signal.addEventListener('abort', stop, { once: true });
	if (signal.aborted) stop();
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		size += chunk.byteLength;
		if (size > maxBytes) {
			stop();
			throw new HttpFailure('too_large', `the answer has more than ${maxBytes} bytes`);
		}
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

function toFailure(error: unknown): HttpFailure {
	const { cause, name } = error as { cause?: Error; name?: string };
	const isBlocked = [name, cause?.name].some((one) => one?.startsWith('SsrfBlocked'));
	return new HttpFailure(isBlocked ? 'refused' : 'network', echo(messageOf(error)));
}

function lowerCase({ headers }: IN8nHttpFullResponse): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
	);
}
