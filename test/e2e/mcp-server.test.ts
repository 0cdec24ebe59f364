import { randomUUID } from 'node:crypto';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { openBench, storedSkills, type Bench } from './support/bench';
import { nodeOf, readExample, useSkills } from './support/examples';
import { createSkillFolder } from './support/skills';

const TOKEN = 'a-token-of-the-test';
const READY_AT_MOST_MS = 15_000;
const POLL_MS = 200;

let bench: Bench;
let url: string;
let workflowId: string;
const clients: Client[] = [];

beforeAll(async () => {
	bench = await openBench();
	const skills = createSkillFolder();
	const fields = { 'references/fields.md': 'Field list.' };
	skills.write('invoice-check', 'Checks invoices.', 'Invoice rule: ask for the IBAN.', fields);
	skills.write('weekly-report', 'Writes the weekly report.', 'Report rule: figures first.');
	const workflow = readExample('skills-over-mcp.json');
	useSkills(workflow, skills.path);
	const trigger = nodeOf(workflow, 'MCP Server Trigger');
	const path = randomUUID();
	trigger.parameters.path = path;
	trigger.webhookId = path;
	const name = 'MCP clients';
	const id = await bench.client.createCredential(name, 'httpBearerAuth', { token: TOKEN });
	trigger.credentials = { httpBearerAuth: { id, name } };
	({ id: workflowId } = await bench.client.createWorkflow(workflow));
	await bench.client.activate(workflowId);
	url = `${bench.client.url}/mcp/${path}`;
	await untilRegistered();
});

/** Activation answers before the address is there. */
async function untilRegistered(): Promise<void> {
	const deadline = Date.now() + READY_AT_MOST_MS;
	while ((await fetch(url, { method: 'POST' })).status === 404) {
		if (Date.now() > deadline) throw new Error(`${url} is not there`);
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
}

afterAll(async () => {
	for (const client of clients) await client.close();
	await bench.close();
});

async function connect(token = TOKEN): Promise<Client> {
	const client = new Client({ name: 'test', version: '1.0.0' });
	const headers = { authorization: `Bearer ${token}` };
	await client.connect(
		new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
	);
	clients.push(client);
	return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
	const { content } = await client.callTool({ name, arguments: args });
	return (content as Array<{ text?: string }>).map(({ text }) => text ?? '').join('\n');
}

const load = async (client: Client, skill: string) =>
	await call(client, 'load_skill', { skill_name: skill });
const unload = async (client: Client, skill: string) =>
	await call(client, 'unload_skill', { skill_name: skill });

describe('an MCP client of examples/skills-over-mcp.json', () => {
	it('is not let in without the token', async () => {
		await expect(connect('another')).rejects.toThrow(/403|Authorization/u);
	});

	it('is offered the four tools, with the catalog in the description of load_skill', async () => {
		const { tools } = await (await connect()).listTools();
		expect(tools.map(({ name }) => name).sort()).toEqual([
			'load_skill',
			'read_skill_file',
			'search_skills',
			'unload_skill',
		]);
		const [loader] = tools.filter(({ name }) => name === 'load_skill');
		expect(loader.description).toContain('invoice-check');
		expect(loader.inputSchema.required).toEqual(['skill_name']);
	});

	it('is told what the server is for', async () => {
		expect((await connect()).getInstructions()).toContain('load_skill');
	});

	it('searches, loads, reads and unloads', async () => {
		const client = await connect();
		const found = await call(client, 'search_skills', { query: 'report' });
		expect(found).toContain('**weekly-report**');
		expect(await load(client, 'invoice-check')).toContain('Invoice rule: ask for the IBAN.');
		const paths = ['references/fields.md'];
		const args = { skill_name: 'invoice-check', paths };
		expect(await call(client, 'read_skill_file', args)).toContain('Field list.');
		expect(await unload(client, 'invoice-check')).toContain('has been unloaded');
		expect(await unload(client, 'invoice-check')).toContain('not currently loaded');
	});

	it('has loaded skills of its own, apart from those of another client', async () => {
		const [anna, boris] = [await connect(), await connect()];
		await load(anna, 'invoice-check');
		expect(await unload(boris, 'invoice-check')).toContain('not currently loaded');
		expect(await load(boris, 'weekly-report')).toContain('Report rule');
		expect(await load(anna, 'invoice-check')).toContain('was loaded earlier');
		const stored = [...storedSkills(bench.staticData(workflowId)).values()];
		expect(stored.filter((skills) => skills.length > 0).sort()).toEqual([
			['invoice-check'],
			['weekly-report'],
		]);
		expect(await unload(anna, 'invoice-check')).toContain('has been unloaded');
	});

	it("cannot name another client's session in its arguments", async () => {
		const [anna, mallory] = [await connect(), await connect()];
		await load(anna, 'invoice-check');
		const { sessionId } = (anna.transport ?? {}) as { sessionId?: string };
		expect(sessionId).toBeTruthy();
		const args = {
			skill_name: 'invoice-check',
			sessionId,
			headers: { 'mcp-session-id': sessionId },
		};
		expect(await call(mallory, 'unload_skill', args)).toContain('It takes only: skill_name');
		expect(await unload(anna, 'invoice-check')).toContain('has been unloaded');
	});

	it('gets an answer to wrong arguments', async () => {
		const client = await connect();
		expect(await load(client, 'no-such-skill')).toContain('Available skills: invoice-check');
		expect(await call(client, 'load_skill', {})).toContain('It takes only: skill_name');
	});
});
