import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { HttpFailure, type HttpExchange } from '../../nodes/core/http';

/** What a site answers at one path; `raw` has the connection to itself. */
export interface Answer {
	status?: number;
	headers?: Record<string, string>;
	body?: string | Uint8Array;
	/** ETag and Last-Modified are made of the body unless this is false. */
	validators?: boolean;
	raw?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A request as the site saw it. */
export interface SeenRequest {
	path: string;
	status: number;
	headers: IncomingMessage['headers'];
}

/** A web server on loopback whose pages a test changes as it goes. */
export interface Site {
	url: string;
	pages: Map<string, Answer | (() => Answer)>;
	requests: SeenRequest[];
	paths(): string[];
	stop(): Promise<void>;
}

const sites: Site[] = [];

/** Starts a site; `stopSites` ends it. */
export async function startSite(): Promise<Site> {
	const pages: Site['pages'] = new Map();
	const requests: SeenRequest[] = [];
	const server = createServer((request, response) => {
		const path = decodeURIComponent(request.url ?? '');
		const page = pages.get(path) ?? { status: 404, body: 'not here', validators: false };
		const answer = typeof page === 'function' ? page() : page;
		const seen = { path, status: answer.status ?? 200, headers: request.headers };
		requests.push(seen);
		if (answer.raw) answer.raw(request, response);
		else seen.status = send(request, response, answer);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const stop = async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	};
	const paths = () => requests.map(({ path }) => path);
	const site = { url: `http://127.0.0.1:${port}`, pages, requests, paths, stop };
	sites.push(site);
	return site;
}

/** Ends all sites; for `afterEach` or `afterAll`. */
export async function stopSites(): Promise<void> {
	await Promise.all(sites.splice(0).map(async (site) => await site.stop()));
}

// As RFC 9110 wants it: 304 when the client's validator still holds, If-None-Match first.
function send(request: IncomingMessage, response: ServerResponse, answer: Answer): number {
	const body = Buffer.from((answer.body ?? '') as string);
	const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
	const headers = { ...(answer.validators === false ? {} : { etag }), ...answer.headers };
	const { 'if-none-match': match, 'if-modified-since': since } = request.headers;
	const modified = Object.entries(headers).find(([name]) => name === 'last-modified')?.[1];
	const etagNow = headers.etag as string | undefined;
	const isSame =
		match !== undefined && etagNow ? match === etagNow : since !== undefined && since === modified;
	const status = isSame && (answer.status ?? 200) === 200 ? 304 : (answer.status ?? 200);
	response.writeHead(status, headers);
	response.end(status === 304 ? undefined : body);
	return status;
}

/** Gives back the digest of an artifact as an index writes it. */
export function digest(content: string | Uint8Array): string {
	return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** An exchange without n8n: what the core's tests send their requests with. */
export const plainExchange: HttpExchange = async (request, { timeoutMs, authenticate }) => {
	const signal = AbortSignal.timeout(timeoutMs);
	try {
		const response = await fetch(request.url, {
			method: request.method ?? 'GET',
			headers: { ...request.headers, ...(authenticate ? { 'x-secret': 'SECRET' } : {}) },
			body: request.body,
			redirect: 'manual',
			signal,
		});
		const body = new Uint8Array(await response.arrayBuffer());
		if (body.byteLength > request.maxBytes) {
			throw new HttpFailure('too_large', `the answer has more than ${request.maxBytes} bytes`);
		}
		const headers = Object.fromEntries(response.headers);
		return { url: request.url, status: response.status, headers, body };
	} catch (error) {
		if (error instanceof HttpFailure) throw error;
		const kind = signal.aborted ? 'timeout' : 'network';
		throw new HttpFailure(kind, kind === 'timeout' ? 'no answer in time' : 'fetch failed');
	}
};

export const WELL_KNOWN = '/.well-known/agent-skills';
export const WELL_KNOWN_OLD = '/.well-known/skills';
export const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

/** Puts an index of version 0.2.0 on the site, and the files it names. */
export function publish(
	site: Site,
	skills: Record<string, string | Buffer>,
	more: { entries?: unknown[]; at?: string; schema?: unknown } = {},
): void {
	const at = more.at ?? WELL_KNOWN;
	const entries = Object.entries(skills).map(([name, content]) => {
		const type = typeof content === 'string' ? 'skill-md' : 'archive';
		const url = type === 'archive' ? `${at}/${name}.tar.gz` : `${name}/SKILL.md`;
		site.pages.set(type === 'archive' ? url : `${at}/${url}`, { body: content });
		return { name, type, description: `Does ${name}.`, url, digest: digest(content) };
	});
	const index = { $schema: more.schema ?? SCHEMA, skills: [...entries, ...(more.entries ?? [])] };
	putIndex(site, index, at);
}

/** Puts any text or value as the index on the site. */
export function putIndex(site: Site, index: unknown, at = WELL_KNOWN): void {
	const body = typeof index === 'string' ? index : JSON.stringify(index);
	const headers = { 'content-type': 'application/json' };
	site.pages.set(`${at}/index.json`, { body, headers });
}

/** Puts skills on the site as version 0.1 has them: name to files. */
export function publishOld(
	site: Site,
	skills: Record<string, Record<string, string | Uint8Array>>,
	at = WELL_KNOWN_OLD,
): void {
	const entries = Object.entries(skills).map(([name, files]) => {
		for (const [path, body] of Object.entries(files)) {
			site.pages.set(`${at}/${name}/${path}`, { body });
		}
		return { name, description: `Does ${name}.`, files: Object.keys(files) };
	});
	putIndex(site, { skills: entries }, at);
}
