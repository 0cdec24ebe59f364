import { openBench, type Bench } from './support/bench';
import { startDemoOnBench, type DemoOnBench } from './support/demo';

let bench: Bench;
let demo: DemoOnBench;

beforeAll(async () => {
	bench = await openBench();
	demo = await startDemoOnBench(bench);
});

afterAll(async () => {
	await demo.model.stop();
	await bench.close();
});

async function ask(question: string, session = 'visitor'): Promise<string> {
	const { status, body } = await bench.client.chat(demo.webhookId, session, question);
	expect(status).toBe(200);
	return (body as { output: string }).output;
}

it('answers a question with the skill that fits, and says what it is', async () => {
	const answer = await ask('Which cron expression runs at 9 on workdays?');
	expect(answer).toContain('**cron-schedule**');
	expect(answer).toContain('stand-in');
	const { data } = await bench.client.lastExecution(demo.workflowId);
	const calls = data.resultData.runData['Skill Loader Tool'];
	expect(calls.length).toBeGreaterThanOrEqual(1);
});

it.each([
	['Please check this invoice before we pay it', 'invoice-check'],
	['Our production server is down, help me triage the incident', 'incident-triage'],
	['Write a reply to this angry customer', 'customer-reply'],
])('picks for "%s" the skill %s', async (question, skill) => {
	expect(await ask(question, skill)).toContain(`I chose the skill **${skill}**`);
});

it('does not load a skill twice in a conversation, as the prompt has its instructions', async () => {
	await ask('Write a reply to this angry customer', 'returning');
	await ask('Write another reply to the customer', 'returning');
	const { data } = await bench.client.lastExecution(demo.workflowId);
	const calls = data.resultData.runData['Skill Loader Tool'] ?? [];
	expect(JSON.stringify(calls)).not.toContain('"load_skill"');
});

it('unloads a skill when it is asked to', async () => {
	await ask('Please check this invoice before we pay it', 'unloader');
	expect(await ask('unload invoice-check', 'unloader')).toContain('has been unloaded');
});

it('lists the skills when none fits', async () => {
	const answer = await ask('qwertz');
	expect(answer).toContain('**cron-schedule**');
	expect(answer).toContain('**invoice-check**');
});
