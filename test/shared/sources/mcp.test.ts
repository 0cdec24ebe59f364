import { picture } from '../../engine/support/picture';
import {
	httpCredentials,
	SECRET,
	WITH_CREDENTIAL,
	withHttpCredential,
} from '../../engine/support/website';
import { host, supplyContext } from '../support/contexts';
import { sourcePackage } from '../support/sources';

import type { IDataObject } from 'n8n-workflow';

import { createSkillSet } from '../../../nodes/core/skillset';
import { readSource } from '../../../nodes/shared/source';
import {
	startMcpServer,
	stopMcpServers,
	type McpServerOptions,
} from '../../core/backends/mcp-server';
import { skillText } from '../../core/support';

beforeEach(() => sourcePackage().forgetEverything());
afterEach(async () => {
	host.credentialsHelper = {};
	await stopMcpServers();
});

const SKILLS = {
	pdf: { 'SKILL.md': skillText('pdf', 'x', 'Rule P.'), 'refs/é.bin': Uint8Array.from([0, 255]) },
	secret: { 'SKILL.md': skillText('secret') },
};
const start = async (options: McpServerOptions = {}) => {
	const server = await startMcpServer(SKILLS, options);
	server.edit('secret', (entry) => entry, false);
	return server;
};

let executions = 0;

async function look(mcpUrl: string, more: IDataObject = {}) {
	const flow = picture({ source: { backend: 'mcp', mcpUrl, ...more } });
	const executionId = `mcp-${++executions}`;
	const context = supplyContext(withHttpCredential(flow), { node: 'Source', executionId });
	const set = createSkillSet(await readSource(context, 0, undefined));
	const { skills, diagnostics, sources } = await set.refresh();
	return {
		set,
		skills,
		sources,
		names: skills.map(({ name }) => name),
		codes: diagnostics.map(({ code }) => code),
	};
}

describe.each<[string, McpServerOptions]>([
	['without sessions', {}],
	['with sessions', { era: 'sessions' }],
])('a Skills Source over an MCP server %s', (_, options) => {
	it('offers its skills, called after the server, through the helper of n8n', async () => {
		const server = await start(options);
		const { names, sources } = await look(server.url);
		expect(names).toEqual(['pdf']);
		expect(sources).toMatchObject([
			{ label: '127.0.0.1', location: `${server.url}/`, status: 'ok', skills: 1 },
		]);
	});

	it('loads a skill and reads its files, byte by byte', async () => {
		const server = await start(options);
		const { set, skills } = await look(server.url);
		expect(await set.load(skills[0])).toMatchObject({ body: expect.stringContaining('Rule P.') });
		const [file] = await set.readFiles(skills[0], ['refs/é.bin'], 100);
		expect('content' in file && [...file.content]).toEqual([0, 255]);
	});

	it('sends the credential with every request', async () => {
		const server = await start({ ...options, token: SECRET });
		expect((await look(server.url)).codes).toEqual(['source-denied']);
		sourcePackage().forgetEverything();
		server.headers.length = 0;
		host.credentialsHelper = httpCredentials(server.url);
		const { set, skills } = await look(server.url, WITH_CREDENTIAL);
		expect(await set.load(skills[0])).toHaveProperty('body');
		const sent = server.headers.map(({ authorization }) => authorization);
		expect(new Set(sent)).toEqual(new Set([`Bearer ${SECRET}`]));
	});
});

describe('the parameters', () => {
	it('name skills that the server does not list, and the label', async () => {
		const server = await start();
		const { names, sources } = await look(server.url, {
			mcpSkillUris: ' skill://secret/SKILL.md,\n skill://pdf/SKILL.md ',
			options: { label: ' Tools ' },
		});
		expect(names).toEqual(['pdf', 'secret']);
		expect(sources).toMatchObject([{ label: 'Tools' }]);
	});

	it.each([
		['once in a minute unless told', {}, 1],
		['in every run when told', { options: { refreshSeconds: 0 } }, 2],
	])('let the list be asked for %s', async (_, more, times) => {
		const server = await start();
		await look(server.url, more);
		await look(server.url, more);
		expect(server.calls.filter((call) => call === 'skills/list')).toHaveLength(times);
	});

	it.each(['', 'example.com/mcp', 'file:///etc/passwd'])('explain the address %j', async (url) => {
		expect((await look(url)).codes).toEqual(['source-invalid']);
	});
});
