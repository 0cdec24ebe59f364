import { reachOfHost, type Reach } from './address';
import { SkillError } from './errors';
import {
	HTTP_MAX_REDIRECTS,
	HTTP_MAX_RETRIES,
	HTTP_PARALLEL_REQUESTS,
	HTTP_RETRY_BASE_MS,
	HTTP_RETRY_MAX_MS,
	HTTP_TIMEOUT_MS,
	MAX_REMOTE_PLACES,
} from './limits';
import { LruMap } from './lru';
import { createGate } from './parallel';
import { echo } from './text';

/** One request; `maxBytes` bounds the answer's body. */
export interface HttpRequest {
	url: string;
	method?: 'GET' | 'POST' | 'DELETE';
	headers?: Record<string, string>;
	body?: string;
	maxBytes: number;
	/** The answer's body is of no interest and not fetched. */
	withoutBody?: boolean;
	/** The page that named this address: it is asked only where a redirect from there would lead. */
	namedBy?: string;
}

/** One answer; header names are in lower case. */
export interface HttpResponse {
	url: string;
	status: number;
	headers: Record<string, string>;
	body: Uint8Array;
}

/**
 * One exchange with a server: no redirect is followed, nothing is tried again, any status is an
 * answer. With `authenticate` the credential of the node is sent. It throws an `HttpFailure`.
 */
export type HttpExchange = (
	request: HttpRequest,
	options: { timeoutMs: number; authenticate: boolean },
) => Promise<HttpResponse>;

/** Why there is no answer. */
export class HttpFailure extends Error {
	constructor(
		readonly kind: 'timeout' | 'too_large' | 'network' | 'refused',
		message: string,
	) {
		super(message);
		this.name = 'HttpFailure';
	}
}

/** Sends requests with time limits, retries, safe redirects and few at a time. */
export type HttpClient = (request: HttpRequest) => Promise<HttpResponse>;

const RETRIED_STATUS = new Set([429, 500, 502, 503, 504]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

// One for each place, not for each client: n8n makes its sub-nodes anew for every tool call.
const gates = new LruMap<string, ReturnType<typeof createGate>>(MAX_REMOTE_PLACES);

/** Gives back a client for one place; the credential goes to that place's origin only. */
export function createHttpClient(
	exchange: HttpExchange,
	baseUrl: string,
	reach: (hostname: string) => Promise<Reach> = reachOfHost,
	sleep: (ms: number) => Promise<void> = wait,
): HttpClient {
	const origin = parseUrl(baseUrl).origin;
	const gate = gates.getOrCreate(origin, () => createGate(HTTP_PARALLEL_REQUESTS));

	const follow = async ({ namedBy, ...request }: HttpRequest): Promise<HttpResponse> => {
		if (namedBy !== undefined) await assertSafeStep(namedBy, request.url, reach);
		let current: HttpRequest = request;
		for (let hop = 0; hop <= HTTP_MAX_REDIRECTS; hop++) {
			const authenticate = parseUrl(current.url).origin === origin;
			const response = await exchange(current, { timeoutMs: HTTP_TIMEOUT_MS, authenticate });
			const target = response.headers.location;
			if (!REDIRECTS.has(response.status) || target === undefined) return response;
			const next = URL.canParse(target, current.url) ? new URL(target, current.url).href : target;
			await assertSafeStep(current.url, next, reach);
			current = {
				...current,
				url: next,
				...(response.status === 303 ? { method: 'GET', body: undefined } : {}),
			};
		}
		throw new HttpFailure('refused', `more than ${HTTP_MAX_REDIRECTS} redirects`);
	};

	return async (request) =>
		await gate(async () => {
			for (let attempt = 0; ; attempt++) {
				const outcome = await follow(request).catch((error: unknown) => {
					if (attempt < HTTP_MAX_RETRIES && isPassing(error)) return null;
					throw error;
				});
				const isFinal = outcome !== null && !RETRIED_STATUS.has(outcome.status);
				if (outcome !== null && (isFinal || attempt === HTTP_MAX_RETRIES)) return outcome;
				const pause = pauseBefore(attempt, outcome?.headers['retry-after']);
				// A server that wants more patience than we have gets no second request.
				if (pause === null) return outcome as HttpResponse;
				await sleep(pause);
			}
		});
}

function isPassing(error: unknown): boolean {
	return error instanceof HttpFailure && (error.kind === 'network' || error.kind === 'timeout');
}

function pauseBefore(attempt: number, retryAfter: string | undefined): number | null {
	const wanted = retryAfterMs(retryAfter);
	if (wanted !== null) return wanted <= HTTP_RETRY_MAX_MS ? wanted : null;
	return Math.min(HTTP_RETRY_BASE_MS * 2 ** attempt, HTTP_RETRY_MAX_MS);
}

/** Gives back how long a server asks to wait, by seconds or a date; null where it does not say. */
export function retryAfterMs(header = '', now = Date.now()): number | null {
	if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
	const date = Date.parse(header);
	return Number.isNaN(date) ? null : Math.max(date - now, 0);
}

async function assertSafeStep(
	current: string,
	next: string,
	reach: (hostname: string) => Promise<Reach>,
): Promise<void> {
	const refuse = (why: string) =>
		new HttpFailure('refused', `it leads to ${why}; that was refused`);
	if (!URL.canParse(next)) throw refuse('what is no web address');
	const [source, target] = [new URL(current), new URL(next)];
	if (target.protocol !== 'http:' && target.protocol !== 'https:') throw refuse(target.protocol);
	if (source.protocol === 'https:' && target.protocol === 'http:') {
		throw refuse('http from https');
	}
	if (target.username !== '' || target.password !== '') throw refuse('an address with a password');
	if (source.hostname === target.hostname) return;
	const [from, to] = [await reach(source.hostname), await reach(target.hostname)];
	// Who points a node at a private network may be sent on within it, but not to n8n's own machine.
	if (to === 'public' || to === from || (to === 'private' && from === 'local')) return;
	throw refuse(`a ${to} address`);
}

/** Throws what an answer that is no success means for a source. */
export function assertSuccess({ status, headers }: HttpResponse): void {
	if (status >= 200 && status < 300) return;
	if (status === 401 || status === 403) {
		throw new SkillError(
			'source-denied',
			`The server refused access (status ${status}).`,
			'Choose a credential that may read it.',
		);
	}
	if (status === 429) {
		const wait = retryAfterMs(headers['retry-after']);
		const hint =
			wait === null ? 'Try again later.' : `Try again in ${Math.ceil(wait / 1000)} seconds.`;
		throw new SkillError('source-rate-limited', 'The server asks us to wait (status 429).', hint);
	}
	throw new SkillError('source-unreadable', `The server answered with status ${status}.`);
}

/** Gives back a URL with http or https, or an error that says what to write. */
export function parseUrl(text: string): URL {
	let url: URL;
	try {
		url = new URL(text.trim());
	} catch {
		// What stands before an "@" or behind a "?" may be a secret.
		const shown = text.includes('@') ? 'The text' : `"${echo(text.split(/[?#]/, 1)[0])}"`;
		throw new SkillError(
			'source-invalid',
			`${shown} is not a web address.`,
			'Write it in full: https://example.com',
		);
	}
	if (url.protocol !== 'http:' && url.protocol !== 'https:') {
		throw new SkillError('source-invalid', 'The address does not begin with http:// or https://.');
	}
	if (url.username !== '' || url.password !== '') {
		throw new SkillError(
			'source-invalid',
			'The web address holds a user name or password.',
			'Use a credential instead.',
		);
	}
	return url;
}

async function wait(ms: number): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, ms));
}
