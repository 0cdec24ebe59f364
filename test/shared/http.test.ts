import { picture } from '../engine/support/picture';
import {
	httpCredentials,
	SECRET,
	websiteSource,
	WITH_CREDENTIAL,
	withHttpCredential,
} from '../engine/support/website';
import { host, supplyContext } from './support/contexts';

import { gzipSync } from 'node:zlib';

import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import { BINARY_ENCODING } from 'n8n-workflow';

import type { HttpFailure } from '../../nodes/core/http';
import { HTTP_CREDENTIAL, httpAccess, httpExchange } from '../../nodes/shared/http';
import { startSite, stopSites, type Site } from '../core/sites';

let site: Site;

beforeEach(async () => {
	site = await startSite();
	host.credentialsHelper = httpCredentials(site.url);
});
afterEach(async () => {
	host.credentialsHelper = {};
	await stopSites();
});

/** Gives back n8n's own context of a Skills Source over a website, with a credential chosen. */
function context(id = 'http-1') {
	const source = websiteSource(site.url, WITH_CREDENTIAL);
	return supplyContext(withHttpCredential(picture({ source }), 'Source', id), { node: 'Source' });
}

const WAYS: Array<[string, boolean]> = [
	['without a credential', false],
	['with a credential', true],
];

const ask = async (path: string, authenticate = false, more: object = {}, timeoutMs = 2000) =>
	await httpExchange(context(), HTTP_CREDENTIAL)(
		{ url: path.startsWith('/') ? site.url + path : path, maxBytes: 1000, ...more },
		{ timeoutMs, authenticate },
	);
const failureOf = async (answer: Promise<unknown>) =>
	await answer.then(
		() => {
			throw new Error('It did not fail');
		},
		(error: HttpFailure) => error,
	);

describe.each(WAYS)("an exchange through n8n's own helper, %s", (_, authenticate) => {
	it('gives status, headers and the exact bytes', async () => {
		const body = Uint8Array.from([0, 255, 128, 10]);
		site.pages.set('/a', { status: 418, body, headers: { 'X-Own': 'Yes' } });
		const response = await ask('/a', authenticate);
		expect(response).toMatchObject({ url: `${site.url}/a`, status: 418 });
		expect(response.headers['x-own']).toBe('Yes');
		expect([...response.body]).toEqual([...body]);
	});

	it('sends method, headers and body', async () => {
		let seen = '';
		site.pages.set('/a', {
			raw: (request, response) => {
				request.on('data', (chunk: Buffer) => (seen += chunk.toString()));
				request.on('end', () => response.end(request.method));
			},
		});
		const headers = { 'content-type': 'application/json', 'x-own': '1' };
		const { body } = await ask('/a', authenticate, { method: 'POST', body: '{"a":1}', headers });
		expect(Buffer.from(body).toString()).toBe('POST');
		expect(seen).toBe('{"a":1}');
		expect(site.requests[0].headers).toMatchObject(headers);
	});

	it('follows no redirect', async () => {
		site.pages.set('/a', { status: 302, headers: { location: '/b' } });
		expect(await ask('/a', authenticate)).toMatchObject({ status: 302 });
		expect(site.requests).toHaveLength(1);
	});

	it('gives 304 as it is', async () => {
		site.pages.set('/a', { body: 'x', headers: { etag: '"1"' } });
		const headers = { 'if-none-match': '"1"' };
		expect(await ask('/a', authenticate, { headers })).toMatchObject({ status: 304 });
	});

	it('takes exactly as many bytes as allowed, and not one more', async () => {
		site.pages.set('/a', { body: 'x'.repeat(1000) });
		site.pages.set('/b', { body: 'x'.repeat(1001) });
		expect((await ask('/a', authenticate)).body).toHaveLength(1000);
		expect(await failureOf(ask('/b', authenticate))).toMatchObject({ kind: 'too_large' });
	});

	it('stops a body without end early', async () => {
		let sent = 0;
		site.pages.set('/a', {
			raw: (_request, response) => {
				const chunk = Buffer.alloc(64 * 1024, 'x');
				const more = () => {
					while (!response.destroyed && response.write(chunk)) sent += chunk.length;
				};
				response.on('drain', more);
				more();
			},
		});
		expect(await failureOf(ask('/a', authenticate))).toMatchObject({ kind: 'too_large' });
		expect(sent).toBeLessThan(20 * 1024 * 1024);
	});

	it('counts what comes out of a compressed answer', async () => {
		const headers = { 'content-encoding': 'gzip' };
		site.pages.set('/a', { body: gzipSync(Buffer.alloc(1_000_000)), headers });
		expect(await failureOf(ask('/a', authenticate))).toMatchObject({ kind: 'too_large' });
	});

	it.each([
		['no answer at all', () => undefined],
		[
			'an answer that stops in its middle',
			(response: { writeHead(status: number): unknown; write(text: string): unknown }) => {
				response.writeHead(200);
				response.write('half');
			},
		],
	])('ends in time: %s', async (__, behave) => {
		site.pages.set('/a', { raw: (_request, response) => behave(response) });
		const start = Date.now();
		const failure = await failureOf(ask('/a', authenticate, {}, 200));
		expect(failure).toMatchObject({ kind: 'timeout', message: 'no answer within 0.2 seconds' });
		expect(Date.now() - start).toBeLessThan(2000);
	});

	it('lets go of an answer that comes too late', async () => {
		let isClosed = false;
		site.pages.set('/a', {
			raw: (_request, response) => {
				response.on('close', () => (isClosed = true));
				setTimeout(() => response.write('late'), 100);
			},
		});
		expect(await failureOf(ask('/a', authenticate, {}, 50))).toMatchObject({ kind: 'timeout' });
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(isClosed).toBe(true);
	});

	it('ends in time though drops keep coming', async () => {
		let timer: NodeJS.Timeout | undefined;
		site.pages.set('/a', {
			raw: (_request, response) => {
				response.writeHead(200);
				timer = setInterval(() => response.write('.'), 20);
				response.on('close', () => clearInterval(timer));
			},
		});
		expect(await failureOf(ask('/a', authenticate, {}, 300))).toMatchObject({ kind: 'timeout' });
	});

	it('says that an answer was cut off', async () => {
		site.pages.set('/a', {
			raw: (_request, response) => {
				response.writeHead(200, { 'content-length': '100' });
				response.write('half');
				setTimeout(() => response.destroy(), 20);
			},
		});
		expect(await failureOf(ask('/a', authenticate))).toMatchObject({ kind: 'network' });
	});

	it('says that nobody is there', async () => {
		await site.stop();
		const failure = await failureOf(ask('/a', authenticate));
		expect(failure).toMatchObject({ name: 'HttpFailure', kind: 'network' });
	});

	it("obeys n8n's SSRF protection, and does not call its refusal passing", async () => {
		const config = Container.get(SsrfProtectionConfig);
		config.enabled = true;
		try {
			site.pages.set('/a', { body: 'x' });
			const failure = await failureOf(ask('/a', authenticate));
			expect(failure).toMatchObject({ kind: 'refused' });
			expect(site.requests).toEqual([]);
		} finally {
			config.enabled = false;
		}
	});
});

describe('the credential', () => {
	const basic = `Basic ${Buffer.from(`me:${SECRET}`).toString(BINARY_ENCODING)}`;

	it.each([
		['bearer', {}, 'authorization', `Bearer ${SECRET}`],
		['header', { headerName: 'X-Key', headerSecret: SECRET }, 'x-key', SECRET],
		['basic', { user: 'me', password: SECRET }, 'authorization', basic],
	])('is sent as %s', async (kind, more, header, value) => {
		host.credentialsHelper = httpCredentials(site.url, { kind, ...more });
		site.pages.set('/a', { body: 'x' });
		await ask('/a', true);
		expect(site.requests[0].headers[header]).toBe(value);
	});

	it('is not sent when it is not asked for', async () => {
		site.pages.set('/a', { body: 'x' });
		await ask('/a', false);
		expect(JSON.stringify(site.requests)).not.toContain(SECRET);
	});

	it.each(['/a', 'http://127.0.0.1:1/a'])('is in no failure: %s', async (path) => {
		site.pages.set('/a', { raw: (_, response) => void response.destroy() });
		const failure = await failureOf(ask(path, true));
		const everything = `${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`;
		expect(everything).not.toContain(SECRET);
	});

	it('with a character that no header may have is in no failure', async () => {
		const headerSecret = `${SECRET}\n`;
		host.credentialsHelper = httpCredentials(site.url, {
			kind: 'header',
			headerName: 'x',
			headerSecret,
		});
		const failure = await ask('/a', true).catch((error: HttpFailure) => error);
		expect(JSON.stringify(failure) + String(failure)).not.toContain(SECRET);
	});
});

describe('httpAccess', () => {
	it('is for the server that the credential names, and for no other', async () => {
		const { client } = await httpAccess(context(), 0, site.url);
		site.pages.set('/a', { body: 'x' });
		await client({ url: `${site.url}/a`, maxBytes: 10 });
		expect(site.requests[0].headers.authorization).toBe(`Bearer ${SECRET}`);
		const other = httpAccess(context(), 0, 'https://evil.example');
		await expect(other).rejects.toMatchObject({ code: 'source-invalid' });
		await expect(other).rejects.toThrow('not for https://evil.example');
	});

	it('keeps the secret from where the server redirects to', async () => {
		const other = await startSite();
		other.pages.set('/b', { body: 'x' });
		site.pages.set('/a', { status: 302, headers: { location: `${other.url}/b` } });
		const { client } = await httpAccess(context(), 0, site.url);
		await client({ url: `${site.url}/a`, maxBytes: 10 });
		expect(other.requests).toHaveLength(1);
		expect(JSON.stringify(other.requests)).not.toContain(SECRET);
	});

	it('tells credentials apart, and not by their secret', async () => {
		const one = await httpAccess(context('http-1'), 0, site.url);
		const two = await httpAccess(context('http-2'), 0, site.url);
		expect(one.identity).not.toBe(two.identity);
		expect(one.identity + two.identity).not.toContain(SECRET);
	});

	it('tells apart what one credential holds for two people, or before and after a change', async () => {
		const before = await httpAccess(context(), 0, site.url);
		host.credentialsHelper = httpCredentials(site.url, { token: 'of-somebody-else' });
		const after = await httpAccess(context(), 0, site.url);
		expect(after.identity).not.toBe(before.identity);
	});

	it('without authentication has no identity', async () => {
		const flow = picture({ source: websiteSource(site.url) });
		const { identity } = await httpAccess(supplyContext(flow, { node: 'Source' }), 0, site.url);
		expect(identity).toBe('');
	});
});
