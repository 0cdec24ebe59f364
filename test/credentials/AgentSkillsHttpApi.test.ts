import { picture } from '../engine/support/picture';
import { resolve } from '../engine/support/credentials';
import { SECRET } from '../engine/support/website';
import { host, supplyContext } from '../shared/support/contexts';

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { IHttpRequestOptions, INode } from 'n8n-workflow';

import { AgentSkillsHttpApi } from '../../credentials/AgentSkillsHttpApi.credentials';
import { startSite, stopSites } from '../core/sites';

const credential = new AgentSkillsHttpApi();

afterEach(stopSites);

/** Sends the test request as n8n does, with these values in the credential. */
async function sendTest(data: Record<string, string>) {
	const flow = picture();
	const context = supplyContext(flow, { node: 'Source' });
	const workflow = host.open(flow);
	const { baseURL = '', url } = credential.test.request;
	const node = workflow.getNode('Source') as INode;
	const options = { baseURL: resolve(workflow, node, baseURL, data), url: url ?? '' };
	const request = await credential.authenticate(data, options);
	return (await context.helpers.httpRequest(request)) as string;
}

describe('the HTTP credential', () => {
	const request: IHttpRequestOptions = { url: 'https://x.example', headers: { accept: 'a/b' } };

	it.each([
		['bearer', { token: 't' }, { headers: { accept: 'a/b', Authorization: 'Bearer t' } }],
		['header', { headerName: 'X-Key', headerSecret: 's' }, { headers: { 'X-Key': 's' } }],
		['basic', { user: 'u', password: 'p' }, { auth: { username: 'u', password: 'p' } }],
		['basic', {}, { auth: { username: '', password: '' } }],
	])('puts the secret into a request: %s %j', async (kind, data, expected) => {
		expect(await credential.authenticate({ kind, ...data }, request)).toMatchObject(expected);
	});

	it('leaves the given request as it was', async () => {
		await credential.authenticate({ kind: 'bearer', token: 't' }, request);
		expect(request).toEqual({ url: 'https://x.example', headers: { accept: 'a/b' } });
	});

	it('hides every secret in the form', () => {
		const hidden = credential.properties.filter(({ typeOptions }) => typeOptions?.password);
		expect(hidden.map(({ name }) => name)).toEqual(['token', 'password', 'headerSecret']);
	});

	it('has an icon for light and dark', () => {
		const files = Object.values(credential.icon).map((icon) => icon.replace('file:', ''));
		const missing = files.filter((file) => !existsSync(join(__dirname, '../../credentials', file)));
		expect(new Set(files).size).toBe(2);
		expect(missing).toEqual([]);
	});
});

describe('its test request', () => {
	it.each(['', '/skills/index.json'])('asks for exactly the address: %j', async (path) => {
		const site = await startSite();
		site.pages.set(path || '/', {
			raw: ({ headers }, response) => {
				response.writeHead(headers.authorization === `Bearer ${SECRET}` ? 200 : 401);
				response.end('ok');
			},
		});
		const url = site.url + path;
		expect(await sendTest({ url, kind: 'bearer', token: SECRET })).toBe('ok');
		await expect(sendTest({ url, kind: 'bearer', token: 'wrong' })).rejects.toThrow('401');
	});
});
