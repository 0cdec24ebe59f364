import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { IHttpRequestOptions } from 'n8n-workflow';

import { AgentSkillsHttpApi } from '../../credentials/AgentSkillsHttpApi.credentials';

const credential = new AgentSkillsHttpApi();

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
