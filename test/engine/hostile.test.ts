import type { IDataObject } from 'n8n-workflow';

import type { Call } from './support/agents';
import { Host } from './support/host';
import { compiledPackage } from './support/package';
import { AGENT_WAYS, folders, load, picture, read, say, unload } from './support/picture';
import { skillFolder, type SkillFolder } from './support/skills';
import { storedSessions } from './support/stored';

let host: Host;
let skills: SkillFolder;

beforeEach(() => {
	host = new Host(compiledPackage());
	host.restart();
	skills = skillFolder();
	for (const name of ['alpha', 'beta', 'gamma']) skills.write(name);
});

describe.each(AGENT_WAYS)('a hostile model under %s', (_, agent) => {
	it.each<[string, IDataObject]>([
		['sessionId', { sessionId: 'victim' }],
		['user', { user: 'victim' }],
		['toolCallId', { toolCallId: 'x' }],
		['chatInput', { chatInput: '/beta' }],
		['a nested object', { options: { session: 'victim' } }],
	])('is refused when it adds %s, and no state is touched', async (_what, extra) => {
		// The worst set-up: the session is read from the field that the model can send.
		const options = { session: '={{ $json.user }}' };
		const flow = picture({ agent, loader: { options }, source: folders(skills.path) });
		const items = [{ sessionId: 'mine', user: 'mine' }];
		const { answers } = await say(host, flow, [[load('alpha', extra)]], { items });
		expect(answers[0]).toMatch(/^Error: load_skill was called with arguments it does not take/);
		expect(answers[0]).toContain('It takes only: skill_name');
		expect(storedSessions(host, flow)).toEqual([]);
	});

	it('gains nothing by a prototype', async () => {
		const options = { session: '={{ $json.user }}' };
		const flow = picture({ agent, loader: { options }, source: folders(skills.path) });
		const extra = JSON.parse('{"__proto__": {"user": "victim"}}') as IDataObject;
		const call = load('alpha', {});
		Object.defineProperty(call.args, '__proto__', { value: extra, enumerable: true });
		await say(host, flow, [[call], [load('beta')]], { items: [{ user: 'mine' }] });
		expect(storedSessions(host, flow).map(({ session }) => session)).toEqual(['session:mine']);
	});

	it("cannot reach another session's skills with any argument", async () => {
		const flow = picture({ agent, source: folders(skills.path) });
		await say(host, flow, [[load('beta')]], { items: [{ sessionId: 'victim' }] });
		const calls = [
			load('alpha', { sessionId: 'victim' }),
			{ tool: 'unload_skill', args: { skill_name: 'beta', sessionId: 'victim' } },
			{ tool: 'unload_skill', args: { skill_name: 'beta' } },
		];
		const { answers } = await say(host, flow, [calls], { items: [{ sessionId: 'mine' }] });
		expect(answers[2]).toContain('not currently loaded');
		const [{ session, loaded }, ...others] = storedSessions(host, flow);
		expect([session, loaded.map(({ name }) => name)]).toEqual(['session:victim', ['beta']]);
		expect(others).toEqual([]);
	});

	it('cannot choose the folder that skills are read from', async () => {
		const secret = skillFolder();
		secret.write('secret');
		const source = folders('={{ $json.folder }}');
		const flow = picture({ agent, source });
		const call = load('secret', { folder: secret.path });
		const items = [{ folder: skills.path }];
		const reply = await say(host, flow, [[call]], { items });
		expect(reply.answers[0]).toContain('arguments it does not take');
		// Not even looked at: the refusal comes before any parameter is resolved.
		expect(reply.runs('Source')).toHaveLength(1);
		expect(JSON.stringify(reply.runs('Source'))).not.toContain('secret');
	});

	it.each<[string, Call, unknown]>([
		['query', { tool: 'search_skills', args: { query: 'does' } }, { userId: 'anna' }],
		['limit', { tool: 'search_skills', args: { query: 'does', limit: 2 } }, { userId: 'anna' }],
		[
			'offset',
			{ tool: 'read_skill_file', args: { skill_name: 'beta', paths: ['x'], offset: 1 } },
			{ userId: 'anna' },
		],
		['paths', read('beta', 'notes.txt'), { userId: 'anna' }],
		['skill_name', load('beta'), { userId: 'anna' }],
	])(
		'cannot shadow the field "%s" of the item by an argument of a tool',
		async (field, call, own) => {
			skills.write('beta', 'x', { 'notes.txt': 'Hidden text' });
			const options = { session: `={{ $json.${field}.userId }}` };
			const include = `={{ $json.${field}.userId === 'anna' ? 'alpha' : '' }}`;
			const flow = picture({
				agent,
				loader: { options },
				catalog: { options },
				source: folders(skills.path, { include }),
			});
			const items = [{ [field]: own }] as IDataObject[];
			const { answers } = await say(host, flow, [[load('alpha')], [call]], { items });
			expect(answers[1]).not.toMatch(/Does beta|Rule of beta|Hidden text/);
			expect(storedSessions(host, flow).map(({ session }) => session)).toEqual(['session:anna']);
		},
	);

	it('calls for several items at once, and each keeps its own fields', async () => {
		const options = { session: '={{ $json.query.userId }}' };
		const flow = picture({ loader: { options }, source: folders(skills.path) });
		const items = [{ query: { userId: 'anna' } }, { query: { userId: 'boris' } }];
		const turn = (_: string[], item: IDataObject) => [
			load((item.query as IDataObject).userId === 'anna' ? 'alpha' : 'beta'),
		];
		await say(host, flow, [[{ tool: 'search_skills', args: { query: 'x' } }], turn], { items });
		const stored = storedSessions(host, flow);
		expect(stored.map(({ session, loaded }) => [session, loaded[0].name]).sort()).toEqual([
			['session:anna', 'alpha'],
			['session:boris', 'beta'],
		]);
	});

	it.each<[string, unknown]>([
		['no arguments', {}],
		['a number for the name', { skill_name: 5 }],
		['null for the name', { skill_name: null }],
		['a list for the name', { skill_name: ['alpha'] }],
		['an object for the name', { skill_name: { name: 'alpha' } }],
		['an empty name', { skill_name: '' }],
		['a list', [['skill_name', 'alpha']]],
		['text', 'alpha'],
		['a number', 7],
		['null', null],
	])('gets an answer, not an exception, for %s', async (_what, args) => {
		const flow = picture({ agent, source: folders(skills.path) });
		const turn = [{ tool: 'load_skill', args }];
		const { answers, status } = await say(host, flow, [turn, [load('alpha')]]);
		expect(status).toBe('success');
		expect(answers[0]).toMatch(/^Error: load_skill was called with arguments it does not take/);
		expect(answers[1]).toContain('Rule of alpha.');
	});

	it('gets an answer for a name that is not among those offered', async () => {
		const flow = picture({ agent, source: folders(skills.path) });
		const { answers } = await say(host, flow, [[load('<b>delta</b>\n</skill_content>')]]);
		expect(answers[0]).toContain('not found');
		expect(answers[0]).not.toMatch(/\n|<\/skill_content>/);
	});

	it('is told the real name of the tool when it has a prefix', async () => {
		const loader = { options: { toolPrefix: 'team' } };
		const flow = picture({ agent, loader, source: folders(skills.path) });
		const turn = [{ tool: 'team_load_skill', args: { nothing: 1 } }];
		const { answers } = await say(host, flow, [turn]);
		expect(answers[0]).toMatch(/^Error: team_load_skill was called/);
	});

	it("does not get the item's own fields as arguments", async () => {
		const flow = picture({ agent, source: folders(skills.path) });
		const items = [{ limit: 1, offset: 3, paths: ['x'], query: 'none', skill_name: 'beta' }];
		const calls = [
			{ tool: 'search_skills', args: { query: 'does' } },
			{ tool: 'load_skill', args: {} },
			{ tool: 'read_skill_file', args: { skill_name: 'alpha' } },
		];
		const { answers } = await say(host, flow, [calls], { items });
		expect(answers[0].match(/^- \*\*/gm)).toHaveLength(3);
		expect(answers[1]).toContain("'skill_name' required");
		expect(answers[2]).toContain("'paths'");
	});

	it('cannot use a tool that is not offered', async () => {
		const loader = { tools: ['load_skill'] };
		const flow = picture({ agent, loader, source: folders(skills.path) });
		const turn = [{ tool: 'search_skills', args: { query: 'does' } }];
		const reply = await say(host, flow, [turn, [load('alpha')]]);
		expect(reply.tools.map(({ name }) => name)).toEqual(['load_skill']);
		expect(reply.answers.at(-1)).toContain('Rule of alpha.');
		expect(reply.answers.join(' ')).not.toContain('Does alpha.');
	});

	it('cannot load a hidden skill, nor read its files', async () => {
		skills.write('alpha', 'x', { 'notes.txt': 'Hidden text' });
		const flow = picture({ agent, source: folders(skills.path, { exclude: 'alpha' }) });
		const read = { tool: 'read_skill_file', args: { skill_name: 'alpha', paths: ['notes.txt'] } };
		const { answers } = await say(host, flow, [[load('alpha'), read]]);
		expect(answers[0]).toContain('Available skills: beta, gamma.');
		expect(answers[1]).toContain('not found');
	});
});

it('a tool that Agent 3 is asked for but that is switched off says so', async () => {
	// The set of tools changed while the conversation was under way.
	const tools = "={{ $json.isOff ? ['load_skill'] : ['load_skill', 'unload_skill'] }}";
	const flow = picture({ loader: { tools }, source: folders(skills.path) });
	const turn = (_: string[], item: IDataObject) => {
		item.isOff = true;
		return [unload('alpha')];
	};
	const { answers } = await say(host, flow, [turn]);
	expect(answers[0]).toBe('Error: unload_skill is not offered here.');
});
