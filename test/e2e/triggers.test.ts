import { randomUUID } from 'node:crypto';

import { systemText } from '../../examples/demo/model';
import { DONE, load, loadedIn, openBench, storedSkills, type Bench } from './support/bench';
import { createSkillFolder } from './support/skills';
import { WorkflowBuilder } from './support/workflows';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const OURS = 'n8n-nodes-agent-skills';
const NEXT_RUN_AT_MOST_MS = 60_000;
const POLL_MS = 200;

let bench: Bench;
let skillsPath: string;

beforeAll(async () => {
	bench = await openBench();
	const skills = createSkillFolder();
	skills.write('invoice-check', 'Checks invoices.', 'Invoice rule: ask for the IBAN.');
	skillsPath = skills.path;
});

afterAll(async () => {
	await bench.close();
});

/** Puts an agent with skills behind a trigger and into production. */
async function startBehind(
	trigger: { type: string; version: number; parameters: object; webhookId?: string },
	options: object,
): Promise<string> {
	const builder = new WorkflowBuilder(bench.credential);
	const { type, version, parameters, webhookId } = trigger;
	builder.add('Trigger', `n8n-nodes-base.${type}`, version, { ...parameters }, { webhookId });
	builder.add('Catalog', `${OURS}.skillCatalogPrompt`, 1, { options });
	builder.agent('Agent', `${LANGCHAIN}.agent`, 3.1, { promptType: 'define', text: 'go' });
	builder.add('Loader', `${OURS}.skillLoader`, 1, { options });
	const sources = { source: [{ path: skillsPath, label: '' }] };
	builder.add('Source', `${OURS}.skillsSource`, 1, { sources });
	builder.connect('Trigger', 'main', 'Catalog');
	builder.connect('Catalog', 'main', 'Agent');
	builder.connect('Loader', 'ai_tool', 'Agent');
	builder.connect('Source', 'ai_document', 'Catalog');
	builder.connect('Source', 'ai_document', 'Loader');
	const workflow = builder.build(`Behind ${type}`, { executionOrder: 'v1' });
	const { id } = await bench.client.createWorkflow(workflow);
	await bench.client.activate(id);
	return id;
}

it('behind a Webhook the session comes from the request', async () => {
	const path = randomUUID();
	const parameters = { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} };
	const trigger = { type: 'webhook', version: 2, parameters, webhookId: path };
	const id = await startBehind(trigger, {
		session: "={{ $('Trigger').item.json.body.userId }}",
	});
	const call = async (userId: string, script: Array<typeof DONE>) => {
		bench.model.script(script);
		const { status } = await bench.client.callWebhook(path, { userId });
		expect(status).toBe(200);
		return loadedIn(systemText(bench.model.requests[0]));
	};
	expect(await call('anna', [load('invoice-check'), DONE])).toEqual([]);
	expect(await call('boris', [DONE])).toEqual([]);
	expect(await call('anna', [DONE])).toEqual(['invoice-check']);
	expect([...storedSkills(bench.staticData(id)).keys()]).toEqual(['anna']);
});

it('behind a Schedule Trigger all runs share what was loaded', async () => {
	const rule = { interval: [{ field: 'seconds', secondsInterval: 3 }] };
	const loadedAtStart: string[][] = [];
	bench.model.script((request) => {
		const isFirst = !request.messages.some(({ role }) => role === 'tool');
		if (isFirst) loadedAtStart.push(loadedIn(systemText(request)));
		return isFirst && loadedAtStart.length === 1 ? load('invoice-check') : DONE;
	});
	const trigger = { type: 'scheduleTrigger', version: 1.2, parameters: { rule } };
	const id = await startBehind(trigger, {});
	const deadline = Date.now() + NEXT_RUN_AT_MOST_MS;
	const isShared = () => loadedAtStart.some((names) => names.includes('invoice-check'));
	while (!isShared() && Date.now() < deadline) {
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
	await bench.client.deactivate(id);
	expect(loadedAtStart[0]).toEqual([]);
	expect(isShared()).toBe(true);
});
