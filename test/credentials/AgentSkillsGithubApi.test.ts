import { resolve } from '../engine/support/credentials';
import { githubCredentials, TOKEN } from '../engine/support/github';
import { picture } from '../engine/support/picture';
import { host, supplyContext } from '../shared/support/contexts';

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { ICredentialsHelper, IHttpRequestOptions, INode } from 'n8n-workflow';

import { AgentSkillsGithubApi } from '../../credentials/AgentSkillsGithubApi.credentials';
import { GithubServer } from '../core/backends/github-server';

const credential = new AgentSkillsGithubApi();

/** Sends the test request as n8n does, with these values in the credential. */
async function sendTest(apiUrl: string, accessToken: string): Promise<unknown> {
	const flow = picture();
	const workflow = host.open(flow);
	const node = workflow.getNode('Source') as INode;
	const data = { apiUrl, accessToken };
	const { baseURL = '', url = '', method } = credential.test.request;
	const options: IHttpRequestOptions = {
		baseURL: resolve(workflow, node, baseURL, data),
		url,
		method,
	};
	const helper = githubCredentials(apiUrl, accessToken) as ICredentialsHelper;
	const request = await helper.authenticate(data, credential.name, options, workflow, node);
	return await supplyContext(flow, { node: 'Source' }).helpers.httpRequest(
		request as IHttpRequestOptions,
	);
}

describe('the GitHub credential', () => {
	it('hides the token in the form', () => {
		const hidden = credential.properties.filter(({ typeOptions }) => typeOptions?.password);
		expect(hidden.map(({ name }) => name)).toEqual(['accessToken']);
	});

	it('is for GitHub itself unless told', () => {
		const address = credential.properties.find(({ name }) => name === 'apiUrl');
		expect(address?.default).toBe('https://api.github.com');
	});

	it('has an icon for light and dark', () => {
		const files = Object.values(credential.icon).map((icon) => icon.replace('file:', ''));
		const missing = files.filter((file) => !existsSync(join(__dirname, '../../credentials', file)));
		expect(new Set(files).size).toBe(2);
		expect(missing).toEqual([]);
	});
});

describe('its test request', () => {
	let server: GithubServer;

	beforeEach(async () => {
		server = await GithubServer.start();
	});

	afterEach(async () => await server.stop());

	it.each(['', '/', '/api/v3', '/api/v3/'])('succeeds with a good token, at %j', async (path) => {
		expect(await sendTest(server.url + path, TOKEN)).toEqual({ login: 'octo' });
		expect(server.requests).toMatchObject([{ path: '/user' }]);
	});

	it.each(['wrong', ''])('fails with the token %j', async (token) => {
		await expect(sendTest(server.url, token)).rejects.toThrow('401');
	});
});
