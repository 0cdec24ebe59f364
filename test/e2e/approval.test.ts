import { randomUUID } from 'node:crypto';

import { plainResult, textOf } from '../../examples/demo/model';
import type { ChatRequest, ToolCall, Turn } from '../../examples/demo/model';
import { parseFlatted } from '../../examples/demo/flatted';
import { useModel } from '../../examples/demo/workflow';
import { DONE, openBench, storedSkills, use, type Bench } from './support/bench';
import { nodeOf, readExample, useSkills } from './support/examples';
import { createSkillFolder } from './support/skills';

const EVENT_AT_MOST_MS = 60_000;
const POLL_MS = 200;
// n8n takes no click from a program that looks through links.
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };

let bench: Bench;

beforeAll(async () => {
	bench = await openBench();
});

afterAll(async () => {
	await bench.close();
});

/** The example on the shared n8n; its chat is public, so that a test can call it. */
async function start(agentVersion = 3.1): Promise<{ workflowId: string; webhookId: string }> {
	const skills = createSkillFolder();
	const fields = { 'references/fields.md': 'Field list.' };
	skills.write('invoice-check', 'Checks invoices.', 'Invoice rule: ask for the IBAN.', fields);
	const workflow = readExample('approve-skills.json');
	useSkills(workflow, skills.path);
	useModel(workflow, { model: 'test', credential: { id: bench.credential, name: 'Test model' } });
	const trigger = nodeOf(workflow, 'When chat message received');
	const webhookId = randomUUID();
	trigger.webhookId = webhookId;
	trigger.parameters.public = true;
	nodeOf(workflow, 'AI Agent').typeVersion = agentVersion;
	const { id } = await bench.client.createWorkflow(workflow);
	await bench.client.activate(id);
	return { workflowId: id, webhookId };
}

const loadInvoices: ToolCall['args'] = {
	toolParameters: { skill_name: 'invoice-check' },
	hitlParameters: {},
};

interface Run {
	id: string;
	status: string;
	data: unknown;
}

/** The newest run, once it waits for a person or has ended. */
async function settledRun(workflowId: string, isSo: (run: Run) => boolean): Promise<Run> {
	const deadline = Date.now() + EVENT_AT_MOST_MS;
	for (;;) {
		const [id] = await bench.client.executionIds(workflowId);
		const found = await bench.client.get<Run & { data: string }>(`/rest/executions/${id}`);
		const run = { ...found, data: parseFlatted(found.data) };
		if (['waiting', 'success', 'error'].includes(run.status) && isSo(run)) return run;
		if (Date.now() > deadline) throw new Error(`Run ${id} is ${run.status}`);
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
}

/** The address behind a button of the question that a run waits with. */
function button(run: Run, approved: boolean): string {
	const links = JSON.stringify(run.data).match(/https?:[^"\\]+\/webhook-waiting\/[^"\\]+/gu) ?? [];
	const link = links.find((one) => one.includes(`approved=${approved}`));
	if (link === undefined) throw new Error(`No button: ${JSON.stringify(run.data).slice(0, 2000)}`);
	return link;
}

function results(request: ChatRequest | undefined): string[] {
	const answers = (request?.messages ?? []).filter(({ role }) => role === 'tool');
	return answers.map((message) => plainResult(textOf(message)));
}

/** Asks for a skill, has a person press a button, and gives back what the model was told. */
async function decide(
	approved: boolean,
	then: Turn[],
): Promise<{ told: string[]; question: Run; workflowId: string }> {
	const { workflowId, webhookId } = await start();
	bench.model.script([use('load_skill', loadInvoices), ...then]);
	await bench.client.chat(webhookId, 'anna', 'check this invoice');
	const question = await settledRun(workflowId, () => bench.model.requests.length === 1);
	expect(question.status).toBe('waiting');
	expect(storedSkills(bench.staticData(workflowId)).get('anna') ?? []).toEqual([]);
	const answer = await fetch(button(question, approved), { headers: BROWSER });
	expect(answer.status).toBe(200);
	await settledRun(workflowId, () => bench.model.left() === 0);
	return { told: results(bench.model.requests.at(-1)), question, workflowId };
}

describe('examples/approve-skills.json', () => {
	it('asks a person, by the name of the skill, before the agent gets it', async () => {
		const { question } = await decide(true, [DONE]);
		expect(JSON.stringify(question.data)).toContain(
			'The agent wants to load the skill \\"invoice-check\\". May it?',
		);
		expect(JSON.stringify(question.data)).not.toContain('Invoice rule');
	});

	it('gives the agent the skill when the person approves, and then its files', async () => {
		const paths = ['references/fields.md'];
		const read = use('read_skill_file', { skill_name: 'invoice-check', paths });
		const { told, workflowId } = await decide(true, [read, DONE]);
		expect(told[0]).toContain('Invoice rule: ask for the IBAN.');
		expect(told[1]).toContain('Field list.');
		expect(storedSkills(bench.staticData(workflowId)).get('anna')).toEqual(['invoice-check']);
	});

	it('gives the agent nothing when the person declines, by no other way either', async () => {
		const paths = ['SKILL.md', 'references/fields.md'];
		const read = use('read_skill_file', { skill_name: 'invoice-check', paths });
		const { told, workflowId } = await decide(false, [read, DONE]);
		expect(told[0]).toContain('rejected the tool call');
		expect(told[1]).toContain('can be read once it is loaded');
		expect(told.join()).not.toMatch(/Invoice rule|Field list/u);
		expect(storedSkills(bench.staticData(workflowId)).get('anna') ?? []).toEqual([]);
	});

	it('does not let the model call another tool under the approved one', async () => {
		const { workflowId, webhookId } = await start();
		const toolParameters = { skill_name: 'invoice-check', tool: 'search_skills' };
		bench.model.script([use('load_skill', { toolParameters, hitlParameters: {} }), DONE]);
		await bench.client.chat(webhookId, 'anna', 'check this invoice');
		const question = await settledRun(workflowId, () => bench.model.requests.length === 1);
		await fetch(button(question, true), { headers: BROWSER });
		await settledRun(workflowId, () => bench.model.left() === 0);
		expect(results(bench.model.requests.at(-1))[0]).toMatch(/^Error: /u);
		expect(storedSkills(bench.staticData(workflowId)).get('anna') ?? []).toEqual([]);
	});

	it.each([1.9, 2.2])('loads nothing under AI Agent %d, which asks nobody', async (version) => {
		const { workflowId, webhookId } = await start(version);
		bench.model.script([use('load_skill', loadInvoices), DONE]);
		await bench.client.chat(webhookId, 'anna', 'check this invoice');
		await settledRun(workflowId, () => bench.model.left() === 0);
		expect(results(bench.model.requests.at(-1))).toEqual(['']);
		expect(storedSkills(bench.staticData(workflowId)).get('anna') ?? []).toEqual([]);
	});
});
