import { DONE, load, loadedIn, openBench, unload, use } from './support/bench';
import type { Bench } from './support/bench';
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
	skills.write(
		'invoice-check',
		'Checks invoices for missing fields.',
		'Invoice rule: ask for the IBAN.',
		{
			'references/fields.md': 'Field list: number, date, total.',
			'scripts/sum.js': 'console.log(1);',
		},
	);
	skills.write(
		'weekly-report',
		'Writes the weekly report.',
		'Report rule: start with the figures.',
	);
});

describe.each([1.9, 2.2, 3.1])('AI Agent %d', (version) => {
	it('receives the catalog in its system message, and the four tools', async () => {
		const chat = await bench.start({ version, skillsPath: skills.path });
		const reply = await chat.say('hello', [DONE]);
		expect(reply.answer).toBe('done');
		expect(reply.system).toContain('## Skills System');
		expect(reply.system).toContain('**invoice-check**: Checks invoices for missing fields.');
		expect(reply.system).toContain('**weekly-report**: Writes the weekly report.');
		expect(reply.system).not.toContain('Invoice rule');
		expect(reply.requests[0].tools?.map((tool) => tool.function.name).sort()).toEqual([
			'load_skill',
			'read_skill_file',
			'search_skills',
			'unload_skill',
		]);
	});

	it('loads, reads a file, unloads and loads again within one message', async () => {
		const chat = await bench.start({ version, skillsPath: skills.path });
		const reply = await chat.say('check this invoice', [
			load('invoice-check'),
			use('read_skill_file', { skill_name: 'invoice-check', paths: ['references/fields.md'] }),
			unload('invoice-check'),
			load('invoice-check'),
			DONE,
		]);
		const [loaded, read, unloaded, again] = reply.results;
		expect(loaded).toContain('<skill_content name="invoice-check"');
		expect(loaded).toContain('Invoice rule: ask for the IBAN.');
		expect(loaded).toContain('- [reference] `references/fields.md`');
		expect(loaded).toContain('- [script] `scripts/sum.js`');
		expect(read).toContain('Field list: number, date, total.');
		expect(unloaded).toContain('unloaded');
		expect(again).toContain('Invoice rule: ask for the IBAN.');
		expect(reply.execution.status).toBe('success');
	});

	it('shows the person a short note in place of the instructions', async () => {
		const chat = await bench.start({ version, skillsPath: skills.path });
		const reply = await chat.say('check this invoice', [load('invoice-check'), DONE]);
		const hints = reply.runs('Loader').flatMap((run) => run.hints ?? []);
		expect(hints.map(({ message }) => message).join(' ')).toMatch(/invoice-check.*activated/u);
		expect(JSON.stringify(hints)).not.toContain('Invoice rule');
	});

	it('says so when a skill is loaded twice in one message', async () => {
		const chat = await bench.start({ version, skillsPath: skills.path });
		const turns = [load('weekly-report'), load('weekly-report'), DONE];
		const { results } = await chat.say('report', turns);
		expect(results[1]).toContain('already loaded');
		expect(results[1]).not.toContain('Report rule');
	});

	it('stops at the budget and says how to go on', async () => {
		const loader = { maxLoadedSkills: 1 };
		const chat = await bench.start({ version, skillsPath: skills.path, loader });
		const turns = [
			load('weekly-report'),
			load('invoice-check'),
			unload('weekly-report'),
			load('invoice-check'),
			DONE,
		];
		const { results } = await chat.say('both please', turns);
		expect(results[1]).toContain('Maximum number of simultaneously loaded skills reached');
		expect(results[1]).toContain('unload_skill');
		expect(results[3]).toContain('Invoice rule');
	});

	it('keeps the budget when the model asks for several skills at once', async () => {
		const loader = { maxLoadedSkills: 1 };
		const chat = await bench.start({ version, skillsPath: skills.path, loader });
		const both = ['weekly-report', 'invoice-check'].map((name) => ({
			name: 'load_skill',
			args: { skill_name: name },
		}));
		const { results } = await chat.say('both at once', [{ calls: both }, DONE]);
		const refused = results.filter((text) => text.includes('Maximum number'));
		expect(results).toHaveLength(2);
		expect(refused).toHaveLength(1);
	});

	it('answers a skill that does not exist with the names that do', async () => {
		const chat = await bench.start({ version, skillsPath: skills.path });
		const { results, execution } = await chat.say('help', [load('no-such-skill'), DONE]);
		expect(results[0]).toContain('not found');
		expect(results[0]).toContain('invoice-check');
		expect(execution.status).toBe('success');
	});

	it('answers the unloading of what is not loaded', async () => {
		const chat = await bench.start({ version, skillsPath: skills.path });
		const { results } = await chat.say('help', [unload('weekly-report'), DONE]);
		expect(results[0]).toContain('not currently loaded');
	});

	it('shows [Loaded] and the instructions again at the next message', async () => {
		const chat = await bench.start({ version, skillsPath: skills.path });
		await chat.say('check this invoice', [load('invoice-check'), DONE]);
		const next = await chat.say('and this one', [DONE]);
		expect(loadedIn(next.system)).toEqual(['invoice-check']);
		expect(next.system).toContain('Invoice rule: ask for the IBAN.');
	});

	it('keeps two chat sessions apart', async () => {
		const chat = await bench.start({ version, skillsPath: skills.path });
		await chat.say('check this invoice', [load('invoice-check'), DONE], 'anna');
		const other = await chat.say('hello', [unload('invoice-check'), DONE], 'boris');
		expect(loadedIn(other.system)).toEqual([]);
		expect(other.results[0]).toContain('not currently loaded');
		const first = await chat.say('next', [DONE], 'anna');
		expect(loadedIn(first.system)).toEqual(['invoice-check']);
	});

	it('keeps a sub-agent with its own state name apart', async () => {
		const subAgent = { loader: { options: { stateName: 'helper' } } };
		const chat = await bench.start({ version, skillsPath: skills.path, subAgent });
		const helperTurns = [load('weekly-report'), { text: 'helped' }];
		const mainTurns = [
			load('invoice-check'),
			use('Helper', { task: 'write the report' }),
			unload('weekly-report'),
			DONE,
		];
		const reply = await chat.say('check and report', ({ messages }) => {
			const isHelper = JSON.stringify(messages[0]).includes('HELPER');
			return (isHelper ? helperTurns : mainTurns).shift() ?? DONE;
		});
		expect(reply.results[1]).toContain('helped');
		expect(reply.results[2]).toContain('not currently loaded');
		const next = await chat.say('go on', [DONE]);
		expect(loadedIn(next.system)).toEqual(['invoice-check']);
	});

	it('does not let the model choose whose state it gets', async () => {
		const chat = await bench.start({ version, skillsPath: skills.path });
		await chat.say('check this invoice', [load('invoice-check'), DONE], 'anna');
		const hostile = use('unload_skill', {
			skill_name: 'invoice-check',
			sessionId: 'anna',
			user: 'anna',
		});
		const attack = await chat.say('hello', [hostile, DONE], 'mallory');
		expect(attack.results[0]).not.toContain('has been unloaded');
		const next = await chat.say('next', [DONE], 'anna');
		expect(loadedIn(next.system)).toEqual(['invoice-check']);
	});
});
