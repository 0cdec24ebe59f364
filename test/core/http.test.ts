import type { Reach } from '../../nodes/core/address';
import { SkillError } from '../../nodes/core/errors';
import {
	assertSuccess,
	createHttpClient,
	HttpFailure,
	parseUrl,
	retryAfterMs,
	type HttpClient,
	type HttpExchange,
	type HttpRequest,
} from '../../nodes/core/http';
import {
	HTTP_MAX_REDIRECTS,
	HTTP_MAX_RETRIES,
	HTTP_PARALLEL_REQUESTS,
	HTTP_RETRY_BASE_MS,
} from '../../nodes/core/limits';
import { plainExchange, startSite, stopSites, type Site } from './sites';

let site: Site;
let pauses: number[];

beforeEach(async () => {
	site = await startSite();
	pauses = [];
});
afterEach(stopSites);

const sleep = async (ms: number) => void pauses.push(ms);
const allIsPublic = async (): Promise<Reach> => 'public';

function clientOf(
	exchange: HttpExchange = plainExchange,
	reach: (host: string) => Promise<Reach> = allIsPublic,
	base = site.url,
): HttpClient {
	return createHttpClient(exchange, base, reach, sleep);
}

const get = async (path: string, client = clientOf(), more: Partial<HttpRequest> = {}) =>
	await client({ url: path.startsWith('/') ? site.url + path : path, maxBytes: 1000, ...more });
const text = ({ body }: { body: Uint8Array }) => Buffer.from(body).toString();

/** An exchange with hosts that exist only in a test: it answers by URL. */
const fake =
	(answers: Record<string, { status: number; location?: string }>): HttpExchange =>
	async ({ url }) => {
		const { status, location } = answers[url] ?? { status: 404 };
		const headers: Record<string, string> = location === undefined ? {} : { location };
		return { url, status, headers, body: new Uint8Array() };
	};

describe('an answer', () => {
	it('is given back with status, headers in lower case, and body', async () => {
		site.pages.set('/a', { body: 'hello', headers: { 'X-Own': '1' } });
		const response = await get('/a');
		expect(response).toMatchObject({ status: 200, url: `${site.url}/a` });
		expect(response.headers['x-own']).toBe('1');
		expect(text(response)).toBe('hello');
	});

	it.each([204, 400, 401, 403, 404, 410])('of status %d is an answer at once', async (status) => {
		site.pages.set('/a', { status });
		expect((await get('/a')).status).toBe(status);
		expect(site.requests).toHaveLength(1);
	});
});

describe('what may pass is tried again', () => {
	it.each([429, 500, 502, 503, 504])('status %d, with longer pauses', async (status) => {
		const answers = [{ status }, { status }, { body: 'good' }];
		site.pages.set('/a', () => answers.shift() as never);
		expect(text(await get('/a'))).toBe('good');
		expect(pauses).toEqual([HTTP_RETRY_BASE_MS, HTTP_RETRY_BASE_MS * 2]);
	});

	it('a connection that is cut off', async () => {
		let times = 0;
		site.pages.set('/a', () =>
			times++ === 0
				? {
						raw: (_, response) => {
							response.writeHead(200, { 'content-length': '100' });
							response.write('half');
							setTimeout(() => response.destroy(), 10);
						},
					}
				: { body: 'whole' },
		);
		expect(text(await get('/a'))).toBe('whole');
	});

	it('but not for ever: the last answer counts', async () => {
		site.pages.set('/a', { status: 503 });
		expect((await get('/a')).status).toBe(503);
		expect(site.requests).toHaveLength(1 + HTTP_MAX_RETRIES);
	});

	it('but not for ever: the last failure counts', async () => {
		site.pages.set('/a', { raw: (_, response) => void response.destroy() });
		await expect(get('/a')).rejects.toMatchObject({ name: 'HttpFailure', kind: 'network' });
		expect(site.requests).toHaveLength(1 + HTTP_MAX_RETRIES);
	});

	it('after as long as the server asks for', async () => {
		const answers = [{ status: 429, headers: { 'retry-after': '2' } }, { body: 'good' }];
		site.pages.set('/a', () => answers.shift() as never);
		expect(text(await get('/a'))).toBe('good');
		expect(pauses).toEqual([2000]);
	});

	it('not at all when the server asks for more patience than there is', async () => {
		site.pages.set('/a', { status: 429, headers: { 'retry-after': '3600' } });
		expect((await get('/a')).status).toBe(429);
		expect(site.requests).toHaveLength(1);
	});

	it.each(['too_large', 'refused'] as const)('not a failure that stays: %s', async (kind) => {
		let times = 0;
		const failing: HttpExchange = async () => {
			times++;
			throw new HttpFailure(kind, 'no');
		};
		await expect(get('/a', clientOf(failing))).rejects.toMatchObject({ kind });
		expect(times).toBe(1);
	});
});

describe('retryAfterMs', () => {
	const now = Date.parse('2030-01-01T00:00:00Z');

	it.each([
		['7', 7000],
		['0', 0],
		['Tue, 01 Jan 2030 00:00:09 GMT', 9000],
		['Mon, 31 Dec 2029 00:00:00 GMT', 0],
		['soon', null],
		['', null],
		[undefined, null],
	])('%j is %j', (header, ms) => {
		expect(retryAfterMs(header, now)).toBe(ms);
	});
});

describe('redirects', () => {
	it.each([301, 302, 303, 307, 308])('of status %d are followed', async (status) => {
		site.pages.set('/a', { status, headers: { location: '/deep/b' } });
		site.pages.set('/deep/b', { body: 'there' });
		const response = await get('/a');
		expect(text(response)).toBe('there');
		expect(response.url).toBe(`${site.url}/deep/b`);
	});

	it('are at most a few', async () => {
		site.pages.set('/a', { status: 302, headers: { location: '/a' } });
		await expect(get('/a')).rejects.toMatchObject({ kind: 'refused' });
		expect(site.requests).toHaveLength(1 + HTTP_MAX_REDIRECTS);
	});

	it('without a target are answers', async () => {
		site.pages.set('/a', { status: 302 });
		expect((await get('/a')).status).toBe(302);
	});

	it('to another server come without the credential', async () => {
		const other = await startSite();
		other.pages.set('/b', { body: 'there' });
		site.pages.set('/a', { status: 302, headers: { location: `${other.url}/b` } });
		await get('/a');
		expect(site.requests[0].headers['x-secret']).toBe('SECRET');
		expect(other.requests[0].headers).not.toHaveProperty('x-secret');
	});

	it('a 303 turns a POST into a GET without its body', async () => {
		site.pages.set('/a', { status: 303, headers: { location: '/b' } });
		let method: string | undefined;
		site.pages.set('/b', {
			raw: (request, response) => {
				({ method } = request);
				response.end();
			},
		});
		await get('/a', clientOf(), { method: 'POST', body: '{}' });
		expect(method).toBe('GET');
	});

	it.each([
		['file:///etc/passwd', 'file:'],
		['ftp://example.com/', 'ftp:'],
		['data:text/plain,x', 'data:'],
		['http://', 'no web address'],
		['http://user:pw@example.com/', 'password'],
	])('to %s are refused', async (location, word) => {
		site.pages.set('/a', { status: 302, headers: { location } });
		const failure = get('/a');
		await expect(failure).rejects.toMatchObject({ kind: 'refused' });
		await expect(failure).rejects.toThrow(word);
		expect(site.requests).toHaveLength(1);
	});

	it('from https to http are refused', async () => {
		const exchange = fake({
			'https://a.example/': { status: 302, location: 'http://a.example/x' },
		});
		const client = clientOf(exchange, allIsPublic, 'https://a.example/');
		await expect(get('https://a.example/', client)).rejects.toThrow('http from https');
	});

	const answers = {
		'https://public.example/': { status: 302, location: 'https://inner.example/secret' },
		'https://inner.example/': { status: 302, location: 'https://inner2.example/' },
		'https://inner.example/secret': { status: 200 },
		'https://inner2.example/': { status: 200 },
	};
	const resolver = async (host: string): Promise<Reach> =>
		host.startsWith('inner') ? 'private' : host.startsWith('self') ? 'local' : 'public';

	it('from a public place to a private one are refused', async () => {
		const client = clientOf(fake(answers), resolver, 'https://public.example');
		await expect(get('https://public.example/', client)).rejects.toThrow('a private address');
	});

	it('from one private place to another are followed', async () => {
		const client = clientOf(fake(answers), resolver, 'https://inner.example');
		expect(await get('https://inner.example/', client)).toMatchObject({ status: 200 });
	});

	it.each(['https://public.example', 'https://inner.example'])(
		'from %s to the machine of n8n itself are refused',
		async (from) => {
			const exchange = fake({
				[`${from}/`]: { status: 302, location: 'https://self.example/metadata' },
				'https://self.example/metadata': { status: 200 },
			});
			const client = clientOf(exchange, resolver, from);
			await expect(get(`${from}/`, client)).rejects.toThrow('a local address');
		},
	);

	it('by default the addresses of the hosts decide', async () => {
		const exchange = fake({ 'https://1.1.1.1/': { status: 302, location: 'https://127.0.0.1/' } });
		const client = createHttpClient(exchange, 'https://1.1.1.1');
		await expect(get('https://1.1.1.1/', client)).rejects.toThrow('a local address');
	});
});

describe('an address that a page named', () => {
	it('is asked only where a redirect from there would lead', async () => {
		const exchange = fake({ 'https://inner.example/': { status: 200 } });
		const client = clientOf(exchange, async (host) =>
			host.startsWith('inner') ? 'private' : 'public',
		);
		const url = 'https://inner.example/';
		const from = async (namedBy: string) => await get(url, client, { namedBy });
		await expect(from('https://public.example/i')).rejects.toThrow('a private address');
		expect(await from('https://inner.example/i')).toMatchObject({ status: 200 });
	});
});

it('asks a place for only a few things at the same time, also by several clients', async () => {
	let now = 0;
	let most = 0;
	const slow: HttpExchange = async ({ url }) => {
		most = Math.max(most, ++now);
		await new Promise((resolve) => setTimeout(resolve, 5));
		now--;
		return { url, status: 200, headers: {}, body: new Uint8Array() };
	};
	await Promise.all(Array.from({ length: 20 }, async () => await get('/a', clientOf(slow))));
	expect(most).toBe(HTTP_PARALLEL_REQUESTS);
});

describe('parseUrl', () => {
	it.each(['', 'example.com', 'not a url', '/path'])('%j is not a web address', (address) => {
		expect(() => parseUrl(address)).toThrow(SkillError);
	});

	it.each(['file:///etc/passwd', 'ftp://x', 'javascript:alert(1)'])('%s is refused', (address) => {
		expect(() => parseUrl(address)).toThrow('http:// or https://');
	});

	it('refuses a password in it, and does not repeat it', () => {
		expect(() => parseUrl('https://user:hunter2@example.com')).toThrow('password');
		expect(() => parseUrl('https://user:hunter2@example.com')).not.toThrow('hunter2');
	});

	it.each(['user:hunter2@example.com', 'https://user:hunter2@exa mple.com'])(
		'does not repeat what may be a password: %s',
		(address) => {
			expect(() => parseUrl(address)).toThrow(SkillError);
			expect(() => parseUrl(address)).not.toThrow('hunter2');
		},
	);

	it('does not repeat what stands behind a question mark', () => {
		const address = 'files.example.com/x.zip?sig=hunter2';
		expect(() => parseUrl(address)).toThrow('files.example.com/x.zip');
		expect(() => parseUrl(address)).not.toThrow('hunter2');
	});

	it('takes spaces around it', () => {
		expect(parseUrl(' https://example.com ').href).toBe('https://example.com/');
	});
});

describe('assertSuccess', () => {
	const codeOf = (status: number, headers: Record<string, string> = {}) => {
		try {
			assertSuccess({ url: '', status, headers, body: new Uint8Array() });
			return 'fine';
		} catch (error) {
			const { code, hint = '' } = error as SkillError;
			return `${code} ${hint}`;
		}
	};

	it.each([
		[200, 'fine'],
		[204, 'fine'],
		[401, 'source-denied Choose'],
		[403, 'source-denied Choose'],
		[429, 'source-rate-limited Try again later.'],
		[404, 'source-unreadable'],
		[500, 'source-unreadable'],
		[302, 'source-unreadable'],
	])('status %d: %s', (status, meaning) => {
		expect(codeOf(status)).toContain(meaning);
	});

	it('says how long to wait', () => {
		expect(codeOf(429, { 'retry-after': '30' })).toContain('in 30 seconds');
	});
});
