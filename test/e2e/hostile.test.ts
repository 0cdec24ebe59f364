import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ToolCall } from '../../examples/demo/model';
import { properties } from '../../nodes/SkillsSource/description';
import { DONE, load, loadedIn, openBench, storedSkills } from './support/bench';
import type { Bench, Conversation, Reply } from './support/bench';
import { createSkillFolder } from './support/skills';
import type { SkillFolder } from './support/skills';

const BUDGET = 3;
const MANY_CALLS = 50;
const MEGABYTE = 'x'.repeat(1_000_000);
const SECRET = 'The secret of the house';
const REFUSED = /^Error: \w+ was called with arguments it does not take: .+ It takes only: /;
const NOT_FOUND = /^Error: Skill '.*' not found\. Available skills: /;
const BAD_PATH = /^Error: The path '.*' is not allowed\. Give a path inside the skill's folder/;
const NO_FILE = /^Error: The skill has no file '.*'\. Its files: references\/fields\.md/;

let bench: Bench;
let skills: SkillFolder;

beforeAll(async () => {
	bench = await openBench();
	skills = createSkillFolder();
	const fields = { 'references/fields.md': 'Field list.' };
	skills.write('invoice-check', 'Checks invoices.', 'Invoice rule.', fields);
	skills.write('weekly-report', 'Writes reports.', 'Report rule.');
	skills.write('prüfung', 'Prüft.', 'Prüfung rule.');
	skills.write('hidden', 'Is excluded.', SECRET, { 'notes.md': SECRET });
	skills.write('private', 'Is not for the model.\ndisable-model-invocation: true', SECRET);
	for (let index = 0; index < MANY_CALLS; index++) skills.write(`bulk-${index}`, 'Bulk.', 'Bulk.');
	writeFileSync(join(skills.path, 'secret.md'), SECRET);
	const outside = `${skills.path}-secret.md`;
	writeFileSync(outside, SECRET);
	symlinkSync(outside, join(skills.path, 'invoice-check', 'link.md'));
});

afterAll(async () => {
	await bench.close();
});

const call = (name: string, args: ToolCall['args']): ToolCall => ({ name, args });
const loading = (skill: unknown, extra: object = {}) =>
	call('load_skill', { skill_name: skill, ...extra });
const reading = (path: unknown, skill = 'invoice-check') =>
	call('read_skill_file', { skill_name: skill, paths: [path] });
const unloading = (skill: unknown, extra: object = {}) =>
	call('unload_skill', { skill_name: skill, ...extra });

/** What a model may try, by kind, and what each call must be answered. */
const TRICKS: Record<string, Array<[what: string, call: ToolCall, answer: RegExp]>> = {
	'fields that it was not asked for': [
		['a session', loading('invoice-check', { sessionId: 'victim' }), REFUSED],
		['a user', unloading('invoice-check', { user: 'victim' }), REFUSED],
		['a tool call id', loading('invoice-check', { toolCallId: 'x' }), REFUSED],
		['a folder', loading('hidden', { folder: '/' }), REFUSED],
		['a thousand keys', loading('invoice-check', Object.fromEntries(numbered(1000))), REFUSED],
	],
	'the parameters of Skills Source': properties.map(({ name }) => [
		name,
		loading('invoice-check', { [name]: '/' }),
		REFUSED,
	]),
	'values of the wrong type': [
		['no arguments', call('load_skill', {}), REFUSED],
		['a number for a name', loading(5), REFUSED],
		['null for a name', loading(null), REFUSED],
		['true for a name', unloading(true), REFUSED],
		['a list for a name', loading(['invoice-check']), REFUSED],
		['an object for a name', loading({ name: 'invoice-check' }), REFUSED],
		['an empty name', loading(''), REFUSED],
		['a number for a query', call('search_skills', { query: 7 }), REFUSED],
		['a negative limit', call('search_skills', { query: 'bulk', limit: -1 }), REFUSED],
		['null for a path', reading(null), REFUSED],
		['no path', call('read_skill_file', { skill_name: 'invoice-check', paths: [] }), REFUSED],
	],
	'a megabyte': [
		['of a name', loading(MEGABYTE), NOT_FOUND],
		['of a query', call('search_skills', { query: MEGABYTE }), REFUSED],
		['of a path', reading(MEGABYTE), BAD_PATH],
		['of a key', loading('invoice-check', { [MEGABYTE]: 1 }), REFUSED],
	],
	'names of what it must not see': [
		['an excluded skill', loading('hidden'), NOT_FOUND],
		['a skill that is not for the model', loading('private'), NOT_FOUND],
		['files of an excluded skill', reading('notes.md', 'hidden'), NOT_FOUND],
		['files of a private skill', reading('SKILL.md', 'private'), NOT_FOUND],
		['a path for a name', loading('../hidden'), NOT_FOUND],
		['a look-alike letter', loading('іnvoice-check'), NOT_FOUND],
		['an invisible letter', loading('invoice\u200b-check'), NOT_FOUND],
		['a NUL', loading('invoice-check\0'), NOT_FOUND],
	],
	'tricks with paths': [
		['upwards', reading('../secret.md'), BAD_PATH],
		['upwards from within', reading('references/../../secret.md'), BAD_PATH],
		['into an excluded skill', reading('../hidden/notes.md'), BAD_PATH],
		['an absolute path', reading('/etc/passwd'), BAD_PATH],
		['backslashes', reading('..\\secret.md'), BAD_PATH],
		['a drive', reading('C:\\secret.md'), BAD_PATH],
		['a NUL', reading('references/fields.md\0.png'), BAD_PATH],
		['escapes', reading('%2e%2e/secret.md'), NO_FILE],
		['a file address', reading('file:///etc/passwd'), NO_FILE],
		['the home folder', reading('~/.n8n/config'), NO_FILE],
		['a link that leaves the library', reading('link.md'), /^Error: .*'link\.md'/],
	],
};

function numbered(count: number): Array<[string, number]> {
	return Array.from({ length: count }, (_, index) => [`key-${index}`, index]);
}

describe.each([1.9, 2.2, 3.1])('a hostile model under AI Agent %d', (version) => {
	let chat: Conversation;
	let count = 0;
	let session = '';

	beforeAll(async () => {
		const assignments = [
			{ id: 'user', name: 'user', type: 'string', value: '={{ $json.sessionId }}' },
			{ id: 'folder', name: 'folder', type: 'string', value: skills.path },
		];
		// The worst set-up: who it is and where skills are stand in fields that a model can send.
		const options = { session: '={{ $json.user }}' };
		const source = {
			sources: { source: [{ path: '={{ $json.folder }}', label: '' }] },
			options: { exclude: 'hidden' },
		};
		chat = await bench.start({
			version,
			memory: false,
			before: {
				type: 'n8n-nodes-base.set',
				version: 3.4,
				parameters: { assignments: { assignments }, includeOtherFields: true, options: {} },
			},
			source: { parameters: source },
			loader: { maxLoadedSkills: BUDGET, options },
			catalog: { options },
		});
		await chat.say('hello', [load('invoice-check'), DONE], 'victim');
	});

	beforeEach(() => {
		session = `mallory-${count++}`;
	});

	afterEach(() => {
		const stored = storedSkills(chat.staticData());
		expect(stored.get('victim')).toEqual(['invoice-check']);
		const sessions = [...stored.keys()].filter((name) => !/^(?:victim|mallory-\d+)$/u.test(name));
		expect(sessions).toEqual([]);
		expect(stored.get(session)?.length ?? 0).toBeLessThanOrEqual(BUDGET);
	});

	/** Makes the calls in one turn, and then shows that the conversation goes on. */
	async function attempt(calls: ToolCall[]): Promise<Reply & { answers: string[] }> {
		const reply = await chat.say('go', [{ calls }, load('weekly-report'), DONE], session);
		expect(reply.execution.status).toBe('success');
		expect(reply.answer).toBe('done');
		expect(JSON.stringify(reply.results)).not.toContain(SECRET);
		const answers = reply.results.slice(0, -1);
		return { ...reply, answers };
	}

	it.each(Object.keys(TRICKS))('gains nothing by %s', async (kind) => {
		const tricks = TRICKS[kind];
		const { answers, results } = await attempt(tricks.map(([, one]) => one));
		expect(answers).toHaveLength(tricks.length);
		const wrong = tricks.flatMap(([what, , expected], index) => {
			const isRight = expected.test(answers[index]) && answers[index].length < 2_000;
			return isRight ? [] : [`${what}: ${answers[index]}`];
		});
		expect(wrong).toEqual([]);
		expect(results.at(-1)).toContain('Report rule.');
		expect(storedSkills(chat.staticData()).get(session)).toEqual(['weekly-report']);
	});

	it('cannot call one tool under the name of another', async () => {
		const { answers } = await attempt([loading('prüfung', { tool: 'unload_skill' })]);
		// Agent 3 puts the name of the called tool over the model's own field.
		expect(answers[0]).toMatch(version >= 3 ? /Prüfung rule/ : REFUSED);
	});

	it('gets one skill, and one slot, for all spellings of its name', async () => {
		const names = ['PRÜFUNG', 'pru\u0308fung', ' prüfung ', 'ｐrüfung', 'prüfung'];
		const { answers } = await attempt(names.map((name) => loading(name)));
		const given = answers.filter((text) => text.includes('Prüfung rule.'));
		const again = answers.filter((text) => text.includes("'prüfung' is already loaded"));
		expect([given.length, again.length]).toEqual([1, names.length - 1]);
		const stored = storedSkills(chat.staticData()).get(session);
		expect(stored).toEqual(['prüfung', 'weekly-report']);
	});

	it('does not get above the budget by loads in parallel', async () => {
		const names = Array.from({ length: 10 }, (_, index) => `bulk-${index}`);
		const { answers, results } = await attempt(names.map((name) => loading(name)));
		const full = /Maximum number of simultaneously loaded skills reached \(3\).*unload_skill/;
		expect(answers.filter((text) => text.includes('<skill_content'))).toHaveLength(BUDGET);
		expect(answers.filter((text) => full.test(text))).toHaveLength(names.length - BUDGET);
		expect(results.at(-1)).toMatch(full);
	});

	it('leaves a state that agrees with itself when it unloads while it loads', async () => {
		const calls = Array.from({ length: 12 }, (_, index) =>
			index % 2 === 0 ? loading('prüfung') : unloading('prüfung'),
		);
		const { answers } = await attempt(calls);
		expect(answers).toHaveLength(calls.length);
		const known = /Prüfung rule|already loaded|has been unloaded|not currently loaded/;
		expect(answers.filter((text) => !known.test(text))).toEqual([]);
		const stored = storedSkills(chat.staticData()).get(session) ?? [];
		const next = await chat.say('next', [DONE], session);
		expect(loadedIn(next.system).sort()).toEqual([...stored].sort());
	});

	it(`gets an answer for each of ${MANY_CALLS} calls in one turn`, async () => {
		const calls = Array.from(
			{ length: MANY_CALLS },
			(_, index) =>
				[
					loading(`bulk-${index}`),
					unloading('invoice-check', { sessionId: 'victim' }),
					reading('../secret.md'),
					call('search_skills', { query: 'bulk' }),
					call('no_such_tool', {}),
				][index % 5],
		).slice(0, MANY_CALLS);
		const { answers } = await attempt(calls);
		// Agent 3 drops calls to tools that it does not know.
		expect(answers).toHaveLength(version >= 3 ? MANY_CALLS * 0.8 : MANY_CALLS);
		expect(answers.filter((text) => text === '')).toEqual([]);
	});

	it('gains nothing by arguments that are no object', async () => {
		const odd = ['"invoice-check"', '["invoice-check"]', 'null', '7'];
		const turns = odd.map((args) => ({ calls: [call('load_skill', args)] }));
		const { results, execution } = await chat.say('go', [...turns, DONE], session);
		expect(execution.status).toBe('success');
		expect(results.filter((text) => REFUSED.test(text))).toHaveLength(odd.length);
		expect(storedSkills(chat.staticData()).has(session)).toBe(false);
	});

	it('harms nothing by arguments that are not JSON', async () => {
		const broken = { calls: [call('load_skill', '{"skill_name":')] };
		const reply = await chat.say('go', [broken, DONE], session);
		// Agents 2 and 3 end such a run themselves, before any tool is asked.
		if (version < 2) expect(reply.results[0]).toMatch(REFUSED);
		else
			expect(reply.execution.data.resultData.error?.message).toBe(
				"Model output doesn't fit required format",
			);
		expect(storedSkills(chat.staticData()).has(session)).toBe(false);
		const next = await attempt([loading('invoice-check')]);
		expect(next.answers[0]).toContain('Invoice rule.');
	});

	it('harms nothing by calling tools that are not offered', async () => {
		const loader = { tools: ['load_skill'], maxLoadedSkills: BUDGET };
		const few = await bench.start({ version, memory: false, skillsPath: skills.path, loader });
		const calls = [
			unloading('invoice-check'),
			call('search_skills', { query: 'bulk' }),
			call('Loader', { tool: 'search_skills', query: 'bulk' }),
			call('run_code', { code: 'process.exit()' }),
		];
		const turns = [{ calls }, load('weekly-report'), DONE];
		const { results, execution, answer } = await few.say('go', turns);
		expect([execution.status, answer]).toEqual(['success', 'done']);
		expect(results.at(-1)).toContain('Report rule.');
		// Agents 1 and 2 say so, Agent 3 drops the calls and asks the model again.
		const answers = version < 3 ? calls.map(({ name }) => `${name} is not a valid tool`) : [];
		expect(results.slice(0, -1).map((text) => text.split(',')[0])).toEqual(answers);
	});
});
