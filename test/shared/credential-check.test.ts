import { host } from './support/contexts';
import { picture } from '../engine/support/picture';

import type { IncomingMessage, ServerResponse } from 'node:http';

import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { SkillsSource } from '../../nodes/SkillsSource/SkillsSource.node';
import { startMcpServer, stopMcpServers, type McpServerOptions } from '../core/backends/mcp-server';
import { publish, startSite, stopSites, WELL_KNOWN, type Site } from '../core/sites';

const SECRET = 'unit-SECRET-token';
const SKILLS = { greeting: { 'SKILL.md': '---\nname: greeting\ndescription: x\n---\nHi.\n' } };

/** How each kind of credential is filled in, and what the server must then see. */
const KINDS = {
	bearer: [{ token: SECRET }, 'authorization', `Bearer ${SECRET}`],
	header: [{ headerName: 'X-Key', headerSecret: SECRET }, 'x-key', SECRET],
	basic: [{ user: 'me', password: SECRET }, 'authorization', `Basic ${btoa(`me:${SECRET}`)}`],
} as const;

let site: Site;

beforeEach(async () => {
	site = await startSite();
});
afterEach(async () => {
	await Promise.all([stopSites(), stopMcpServers()]);
});

/** Tests a credential as n8n does when a person presses "Test". */
async function test(url: string, data: ICredentialDataDecryptedObject = {}) {
	const flow = picture();
	const context = new CredentialTestContext(host.additionalData(flow, 'exec-1', 'internal'));
	const values = { kind: 'bearer', token: SECRET, ...data, url };
	const credential = { id: '1', name: 'c', type: 'agentSkillsHttpApi', data: values };
	const result = await new SkillsSource().methods.credentialTest.testHttpCredential.call(
		context,
		credential,
	);
	expect(JSON.stringify(result)).not.toContain(SECRET);
	return result;
}

/** Answers as the function does, once the request brings the secret; before that with 401. */
function guarded(answer: (response: ServerResponse) => void, name = 'authorization') {
	const wanted = Object.values(KINDS).map(([, , value]): string => value);
	return {
		raw: (request: IncomingMessage, response: ServerResponse) => {
			if (wanted.includes(String(request.headers[name]))) answer(response);
			else response.writeHead(401).end('no');
		},
	};
}

const json = (response: ServerResponse) => {
	response.writeHead(200, { 'content-type': 'application/json' });
	response.end('{}');
};
const OK = { status: 'OK' };
const refused = { status: 'Error', message: expect.stringContaining('refuses the secret') };

describe.each(Object.entries(KINDS))('a credential of the kind %s', (kind, [data, name, value]) => {
	const wrong = Object.fromEntries(Object.keys(data).map((key) => [key, 'wrong']));

	it('is tested at a file', async () => {
		site.pages.set('/skills.zip', guarded(json, name));
		const url = `${site.url}/skills.zip`;
		expect(await test(url, { kind, ...data })).toMatchObject(OK);
		expect(site.paths()).toEqual(['/skills.zip']);
		expect(await test(url, { kind, ...data, ...wrong, headerName: 'X-Key' })).toMatchObject(
			refused,
		);
	});

	it.each<McpServerOptions>([{}, { era: 'legacy' }, { era: 'sessions' }])(
		'is tested at an MCP server: %j',
		async (options) => {
			const server = await startMcpServer(SKILLS, options);
			server.before = (request, response) => {
				if (request.headers[name] === value) return false;
				response.writeHead(401).end();
				return true;
			};
			expect(await test(server.url, { kind, ...data })).toMatchObject(OK);
			expect(server.calls).toContain('skills/list');
			expect([...server.sessions]).toEqual([]);
			const answer = await test(server.url, { kind, ...data, ...wrong, headerName: 'X-Key' });
			expect(answer).toMatchObject(refused);
		},
	);
});

describe('an MCP server', () => {
	it.each([400, 403, 404, 405, 406])('may answer a GET with %d', async (status) => {
		const server = await startMcpServer(SKILLS, { token: SECRET });
		server.before = (request, response) => {
			if (request.method !== 'GET') return false;
			response.writeHead(status).end();
			return true;
		};
		expect(await test(server.url)).toMatchObject(OK);
		expect(await test(server.url, { token: 'wrong' })).toMatchObject(refused);
	});

	it('may open a stream without end', async () => {
		const server = await startMcpServer(SKILLS, { token: SECRET });
		server.before = (request, response) => {
			if (request.method !== 'GET') return false;
			response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
			return true;
		};
		expect(await test(server.url)).toMatchObject(OK);
		expect(await test(server.url, { token: 'wrong' })).toMatchObject(refused);
	});

	it('need not have skills: that is no matter of the secret', async () => {
		const server = await startMcpServer(SKILLS, { token: SECRET, skills: false });
		expect(await test(server.url)).toMatchObject(OK);
	});
});

describe('a website', () => {
	const page = { body: '<p>Welcome</p>', headers: { 'content-type': 'text/html' } };
	const index = `${WELL_KNOWN}/index.json`;

	it('whose front page is open is tested at its index', async () => {
		site.pages.set('/', page);
		site.pages.set(index, guarded(json));
		expect(await test(site.url)).toMatchObject(OK);
		expect(await test(site.url, { token: 'wrong' })).toMatchObject(refused);
	});

	it('whose front page is closed or missing is tested at its index', async () => {
		site.pages.set('/', { status: 403 });
		site.pages.set(index, guarded(json));
		expect(await test(site.url)).toMatchObject(OK);
		site.pages.delete('/');
		expect(await test(site.url)).toMatchObject(OK);
		expect(await test(site.url, { token: 'wrong' })).toMatchObject(refused);
	});

	it('without an index is open when its front page is', async () => {
		site.pages.set('/', page);
		expect(await test(site.url)).toMatchObject(OK);
	});

	it('that is given by its index is asked for that alone', async () => {
		publish(site, { greeting: SKILLS.greeting['SKILL.md'] });
		expect(await test(site.url + index)).toMatchObject(OK);
		expect(site.paths()).toEqual([index]);
	});
});

describe('a redirect', () => {
	const secretsSeenBy = (other: Site) =>
		other.requests.filter(({ headers }) => JSON.stringify(headers).includes(SECRET));

	it('to a file elsewhere is followed without the secret', async () => {
		const other = await startSite();
		other.pages.set('/signed.zip', { body: 'zip' });
		const location = `${other.url}/signed.zip`;
		site.pages.set(
			'/skills.zip',
			guarded((response) => response.writeHead(302, { location }).end()),
		);
		expect(await test(`${site.url}/skills.zip`)).toMatchObject(OK);
		expect(other.paths()).toEqual(['/signed.zip']);
		expect(secretsSeenBy(other)).toEqual([]);
	});

	it('to a page elsewhere proves nothing, and does not carry the secret there', async () => {
		const other = await startSite();
		other.pages.set('/login', { body: '<p>', headers: { 'content-type': 'text/html' } });
		site.pages.set('/', { status: 302, headers: { location: `${other.url}/login` } });
		const message = `The server leads to ${new URL(other.url).host}, which does not get the secret. Write the address of the server that wants it.`;
		expect(await test(site.url)).toEqual({ status: 'Error', message });
		expect(secretsSeenBy(other)).toEqual([]);
	});
});

describe('what goes wrong is said', () => {
	it('nothing is there', async () => {
		expect(await test(`${site.url}/nowhere`)).toEqual({
			status: 'Error',
			message:
				'There is nothing to read at this address (status 404). Write the address of a file, a website or an MCP server.',
		});
	});

	it('the server wants us to wait', async () => {
		site.pages.set('/mcp', { status: 429, headers: { 'retry-after': '60' } });
		expect(await test(`${site.url}/mcp`)).toMatchObject({
			message: 'The server asks us to wait (status 429). Try again in 60 seconds.',
		});
	});

	it('nobody is there', async () => {
		await site.stop();
		expect(await test(site.url)).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/^The server could not be reached: .*ECONNREFUSED/),
		});
	});

	it.each(['', 'example.com', 'ftp://example.com'])('the address is none: %j', async (url) => {
		expect(await test(url)).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/is not a web address|http:\/\/ or https:\/\//),
		});
	});

	it("n8n's SSRF protection forbids the address", async () => {
		const config = Container.get(SsrfProtectionConfig);
		config.enabled = true;
		try {
			expect(await test(site.url)).toMatchObject({ status: 'Error' });
			expect(site.requests).toEqual([]);
		} finally {
			config.enabled = false;
		}
	});
});
