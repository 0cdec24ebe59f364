import { DONE, load, loadedIn, openBench, unload } from './support/bench';
import type { Bench } from './support/bench';
import type { Script } from '../../examples/demo/model';
import { createSkillFolder } from './support/skills';
import type { SkillFolder } from './support/skills';

let bench: Bench;
let skills: SkillFolder;

beforeAll(async () => {
	bench = await openBench();
});

afterAll(async () => {
	await bench.close();
});

beforeEach(() => {
	skills = createSkillFolder();
	skills.write('invoice-check', 'Checks invoices.', 'Invoice rule: ask for the IBAN.', {
		'references/fields.md': 'Field list.',
	});
	skills.write('weekly-report', 'Writes the weekly report.', 'Report rule: figures first.');
});

describe.each([1.9, 2.2, 3.1])('state, AI Agent %d', (version) => {
	it('is kept when the run in which a skill was loaded fails later', async () => {
		const chat = await bench.start({ version, skillsPath: skills.path, failing: true });
		const failed = await chat.say('please fail', [load('invoice-check'), DONE]);
		expect(failed.execution.status).toBe('error');
		const next = await chat.say('again', [DONE]);
		expect(loadedIn(next.system)).toEqual(['invoice-check']);
	});

	it('survives many conversations at once', async () => {
		const chat = await bench.start({ version, skillsPath: skills.path });
		const sessions = Array.from({ length: 20 }, (_, index) => `visitor-${index}`);
		const loadOnce: Script = ({ messages }) =>
			messages.some(({ role }) => role === 'tool') ? DONE : load('invoice-check');
		await Promise.all(sessions.map(async (session) => await chat.say('check', loadOnce, session)));
		const stored = chat.staticData();
		expect(sessions.filter((session) => !stored.includes(`${session}"`))).toEqual([]);
	});

	it('lies in the database with names and no bodies', async () => {
		const chat = await bench.start({ version, skillsPath: skills.path });
		await chat.say('check', [load('invoice-check'), load('weekly-report'), DONE], 'anna');
		await chat.say('check', [unload('weekly-report'), DONE], 'anna');
		const stored = chat.staticData();
		expect(stored).toContain('invoice-check');
		expect(stored).toContain('anna');
		expect(stored).not.toContain('weekly-report');
		expect(stored).not.toContain('Invoice rule');
		expect(stored).not.toContain('Field list');
		expect(stored.length).toBeLessThan(5_000);
	});
});

it('is still there after n8n was restarted', async () => {
	const chats = await Promise.all(
		[1.9, 2.2, 3.1].map(async (version) => await bench.start({ version, skillsPath: skills.path })),
	);
	for (const chat of chats) await chat.say('check', [load('invoice-check'), DONE]);
	await bench.restartN8n();
	for (const chat of chats) {
		const next = await chat.say('next', [DONE]);
		expect(loadedIn(next.system)).toEqual(['invoice-check']);
		expect(next.system).toContain('Invoice rule: ask for the IBAN.');
	}
});

it('is kept when an error workflow runs in between', async () => {
	const errorFlow = await bench.client.createWorkflow({
		name: 'On error',
		nodes: [
			{
				id: 'error-trigger',
				name: 'Error Trigger',
				type: 'n8n-nodes-base.errorTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
		],
		connections: {},
		settings: { executionOrder: 'v1' },
	});
	await bench.client.activate(errorFlow.id).catch(() => undefined);
	const settings = { errorWorkflow: errorFlow.id };
	const chat = await bench.start({
		version: 3.1,
		skillsPath: skills.path,
		failing: true,
		settings,
	});
	await chat.say('please fail', [load('invoice-check'), DONE]);
	const next = await chat.say('again', [DONE]);
	expect(loadedIn(next.system)).toEqual(['invoice-check']);
	expect((await bench.client.lastExecution(errorFlow.id)).status).toBe('success');
});
