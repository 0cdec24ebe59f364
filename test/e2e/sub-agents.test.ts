import { textOf, type ChatRequest, type Turn } from '../../examples/demo/model';
import { DONE, load, loadedIn, openBench, storedSkills, unload, use } from './support/bench';
import type { Bench, Conversation } from './support/bench';
import { createSkillFolder } from './support/skills';
import { WorkflowBuilder } from './support/workflows';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const OURS = 'n8n-nodes-agent-skills';
const CALLED = 'When Executed by Another Workflow';

let bench: Bench;
let skillsPath: string;

beforeAll(async () => {
	bench = await openBench();
	const skills = createSkillFolder();
	skills.write('invoice-check', 'Checks invoices.', 'Invoice rule: ask for the IBAN.');
	skills.write('weekly-report', 'Writes the weekly report.', 'Report rule: figures first.');
	skillsPath = skills.path;
});

afterAll(async () => {
	await bench.close();
});

/** A script for two agents: one whose requests hold a word, and the other. */
function together(word: string, helper: Turn[], main: Turn[]) {
	const turns = { helper: [...helper], main: [...main] };
	return ({ messages }: ChatRequest) => {
		const [first] = messages.filter(({ role }) => role !== 'assistant' && role !== 'tool');
		const said = `${textOf(first)} ${messages
			.filter(({ role }) => role === 'user')
			.map(textOf)
			.join(' ')}`;
		return (said.includes(word) ? turns.helper : turns.main).shift() ?? DONE;
	};
}

describe.each([1.9, 2.2, 3.1])('an AI Agent Tool under AI Agent %d', (version) => {
	const delegate = use('Helper', { task: 'write the report' });
	const helped = [load('weekly-report'), { text: 'helped' }];

	it('shares the loaded skills when it has the same State Name', async () => {
		const chat = await bench.start({ version, skillsPath, subAgent: { loader: {} } });
		const main = [delegate, load('invoice-check'), unload('weekly-report'), DONE];
		const { results } = await chat.say('report', together('HELPER', helped, main), 'anna');
		expect(results[0]).toContain('helped');
		expect(results[2]).toContain("'weekly-report' has been unloaded");
		const next = await chat.say('next', [DONE], 'anna');
		expect(loadedIn(next.system)).toEqual(['invoice-check']);
	});

	it('has its own when it has a State Name of its own, in each session', async () => {
		const subAgent = { loader: { options: { stateName: 'helper' } } };
		const chat = await bench.start({ version, skillsPath, subAgent });
		const main = [delegate, unload('weekly-report'), DONE];
		const { results } = await chat.say('report', together('HELPER', helped, main), 'anna');
		expect(results[1]).toContain('not currently loaded');
		const again = [load('weekly-report'), { text: 'helped' }];
		const other = together('HELPER', [unload('weekly-report'), ...again], [delegate, DONE]);
		const reply = await chat.say('report', other, 'boris');
		const told = JSON.stringify(reply.requests);
		expect(told).toContain('not currently loaded');
		expect(told).not.toContain('was loaded earlier');
	});
});

describe.each([2.2, 3.1])('a sub-workflow as a tool of AI Agent %d', (version) => {
	/** An agent with skills of its own that is called with a task and the caller's session. */
	async function createSpecialist(): Promise<string> {
		const builder = new WorkflowBuilder(bench.credential);
		const values = [{ name: 'task' }, { name: 'session' }];
		builder.add(CALLED, 'n8n-nodes-base.executeWorkflowTrigger', 1.1, {
			workflowInputs: { values },
		});
		const options = { session: `={{ $('${CALLED}').item.json.session }}` };
		builder.add('Catalog', `${OURS}.skillCatalogPrompt`, 1, { options });
		builder.agent('Agent', `${LANGCHAIN}.agent`, version, {
			promptType: 'define',
			text: `={{ $('${CALLED}').item.json.task }}`,
		});
		builder.add('Loader', `${OURS}.skillLoader`, 1, { options });
		const sources = { source: [{ path: skillsPath, label: '' }] };
		builder.add('Source', `${OURS}.skillsSource`, 1, { sources });
		builder.connect(CALLED, 'main', 'Catalog');
		builder.connect('Catalog', 'main', 'Agent');
		builder.connect('Loader', 'ai_tool', 'Agent');
		builder.connect('Source', 'ai_document', 'Catalog');
		builder.connect('Source', 'ai_document', 'Loader');
		const workflow = builder.build('Specialist', { executionOrder: 'v1' });
		const { id } = await bench.client.createWorkflow(workflow);
		await bench.client.activate(id);
		return id;
	}

	/** A chat whose agent has the specialist for a tool, and passes the session of the chat on. */
	async function startWith(specialist: string): Promise<Conversation> {
		const column = (id: string) => ({ id, displayName: id, type: 'string', display: true });
		const workflowInputs = {
			mappingMode: 'defineBelow',
			value: {
				task: "={{ $fromAI('task', 'What to do', 'string') }}",
				session: "={{ $('Chat').item.json.sessionId }}",
			},
			matchingColumns: [],
			schema: [column('task'), column('session')],
		};
		const workflowId = { __rl: true, mode: 'id', value: specialist };
		const description = 'Passes a task to the specialist';
		return await bench.start({
			version,
			skillsPath,
			extend(builder) {
				const parameters = { description, workflowId, workflowInputs };
				builder.add('specialist', `${LANGCHAIN}.toolWorkflow`, 2.2, parameters);
				builder.connect('specialist', 'ai_tool', 'Agent');
			},
		});
	}

	it("keeps what it loaded in the caller's session, apart from other sessions", async () => {
		const specialist = await createSpecialist();
		const chat = await startWith(specialist);
		const ask = (...helper: Turn[]) =>
			together(
				'SPECIALIST',
				[...helper, { text: 'specialised' }],
				[use('specialist', { task: 'SPECIALIST, write the report' }), DONE],
			);
		const prompt = ({ requests }: { requests: ChatRequest[] }) =>
			textOf(requests[1].messages.find(({ role }) => role === 'system'));
		const first = await chat.say('report', ask(load('weekly-report')), 'anna');
		expect(first.results[0]).toContain('specialised');
		const other = await chat.say('report', ask(), 'boris');
		expect(loadedIn(prompt(other))).toEqual([]);
		const next = await chat.say('report', ask(), 'anna');
		expect(loadedIn(prompt(next))).toEqual(['weekly-report']);
		expect(loadedIn(next.system)).toEqual([]);
		expect(storedSkills(bench.staticData(specialist)).get('anna')).toEqual(['weekly-report']);
	});

	it("does not take the session from the model's arguments", async () => {
		const specialist = await createSpecialist();
		const chat = await startWith(specialist);
		const args = { task: 'SPECIALIST, write', session: 'anna', sessionId: 'anna' };
		const turns = together('SPECIALIST', [load('weekly-report')], [use('specialist', args), DONE]);
		await chat.say('report', turns, 'mallory');
		const stored = storedSkills(bench.staticData(specialist));
		expect([...stored.keys()]).toEqual(['mallory']);
	});
});
