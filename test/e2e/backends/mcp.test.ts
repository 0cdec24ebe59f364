import { startMcpServer, stopMcpServers } from '../../core/backends/mcp-server';
import type { McpServerOptions } from '../../core/backends/mcp-server';
import { DONE, load, openBench, use } from '../support/bench';
import type { Bench } from '../support/bench';

const SECRET = 'e2e-SECRET-token';

let bench: Bench;

const skill = (name: string, rule: string) =>
	`---\nname: ${name}\ndescription: Does ${name}.\n---\n\n${rule}\n`;
const SKILLS = {
	greeting: { 'SKILL.md': skill('greeting', 'Greeting rule.') },
	'acme/refunds': {
		'SKILL.md': skill('refunds', 'Refund rule.'),
		'references/limits.md': 'At most 100 euros.',
	},
};

beforeAll(async () => {
	bench = await openBench();
});

afterAll(async () => {
	await bench.close();
});

afterEach(stopMcpServers);

describe.each<[number, McpServerOptions]>([
	[2.2, {}],
	[3.1, {}],
	[3.1, { era: 'sessions' }],
])('skills of an MCP server, AI Agent %d, %j', (version, options) => {
	it('are listed, loaded and read', async () => {
		const server = await startMcpServer(SKILLS, options);
		const source = { parameters: { backend: 'mcp', mcpUrl: server.url } };
		const chat = await bench.start({ version, source });
		const reply = await chat.say('hello', [
			load('greeting'),
			load('refunds'),
			use('read_skill_file', { skill_name: 'refunds', paths: ['references/limits.md'] }),
			DONE,
		]);
		expect(reply.system).toContain('**greeting**: Does greeting.');
		expect(reply.results[0]).toContain('Greeting rule.');
		expect(reply.results[1]).toContain('Refund rule.');
		expect(reply.results[2]).toContain('At most 100 euros.');
		expect(server.calls.filter((call) => call === 'skills/list')).toHaveLength(1);
		expect([...server.sessions]).toEqual([]);
	});
});

it('a server that wants a token gets the credential, and the run leaves no secret', async () => {
	const server = await startMcpServer(SKILLS, { token: SECRET });
	const type = 'agentSkillsHttpApi';
	const data = { url: server.url, kind: 'bearer', token: SECRET };
	const id = await bench.client.createCredential('MCP', type, data);
	const parameters = { backend: 'mcp', mcpUrl: server.url, authentication: type };
	const credentials = { [type]: { id, name: 'MCP' } };
	const chat = await bench.start({ version: 3.1, source: { parameters, credentials } });
	const reply = await chat.say('hello', [load('greeting'), DONE]);
	expect(reply.results[0]).toContain('Greeting rule.');
	expect(JSON.stringify([reply.execution, reply.requests])).not.toContain(SECRET);
});

it('the test of a credential asks the server, and tells a right token from a wrong one', async () => {
	const server = await startMcpServer(SKILLS, { token: SECRET });
	const type = 'agentSkillsHttpApi';
	const data = { url: server.url, kind: 'bearer', token: SECRET };
	const id = await bench.client.createCredential('MCP test', type, data);
	const right = await bench.client.testCredential(id, type, data);
	expect(right).toMatchObject({ status: 'OK' });
	expect(server.calls).toContain('skills/list');
	const wrong = await bench.client.testCredential(id, type, { ...data, token: 'wrong' });
	expect(wrong).toEqual({
		status: 'Error',
		message: 'The server refuses the secret. Check the secret, and how the server wants it.',
	});
});

it('a file with a wrong digest is refused', async () => {
	const server = await startMcpServer(SKILLS);
	server.tamper('skill://greeting/SKILL.md', { text: skill('greeting', 'Evil rule!') });
	const source = { parameters: { backend: 'mcp', mcpUrl: server.url } };
	const chat = await bench.start({ version: 3.1, source });
	const reply = await chat.say('hello', [load('greeting'), DONE]);
	expect(reply.results[0]).toContain('digest mismatch');
	expect(reply.results[0]).not.toContain('Evil');
});
