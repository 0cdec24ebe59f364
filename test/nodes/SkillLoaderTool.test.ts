import { AGENT_WAYS, load, picture, say, typed, unload } from '../engine/support/picture';
import { executeContext, host, supplyContext } from '../shared/support/contexts';

import { SkillLoaderTool } from '../../nodes/SkillLoaderTool/SkillLoaderTool.node';

const source = typed({ alpha: 'Rule of alpha.', beta: 'Rule of beta.' });

beforeEach(() => host.restart());

describe.each(AGENT_WAYS)('Skill Loader Tool under %s', (_, agent) => {
	it('loads, reads, searches and unloads', async () => {
		const turns = [
			[load('alpha')],
			[{ tool: 'read_skill_file', args: { skill_name: 'alpha', paths: ['SKILL.md'] } }],
			[{ tool: 'search_skills', args: { query: 'beta' } }],
			[unload('alpha')],
		];
		const { answers } = await say(host, picture({ agent, source }), turns);
		expect(answers).toEqual([
			expect.stringContaining('<skill_content name="alpha"'),
			expect.stringContaining('<skill_content file="SKILL.md">'),
			expect.stringContaining('- **beta**: Does beta.'),
			expect.stringContaining("Skill 'alpha' has been unloaded"),
		]);
	});

	it('logs each call with its tool, its answer and its hint', async () => {
		const reply = await say(host, picture({ agent, source }), [[load('alpha')], [load('none')]]);
		const [first, second] = reply.runs('Loader');
		expect(first.inputOverride?.ai_tool?.[0]?.[0].json).toEqual({
			skill_name: 'alpha',
			tool: 'load_skill',
		});
		expect(first.data?.ai_tool?.[0]?.[0].json.response).toContain('Rule of alpha.');
		expect(first.hints?.map(({ message }) => message)).toEqual([
			'The skill &quot;alpha&quot; has been activated.',
		]);
		expect(second.hints ?? []).toEqual([]);
	});

	it('refuses arguments that are not its own', async () => {
		const { answers } = await say(host, picture({ agent, source }), [[load('alpha', { x: 1 })]]);
		expect(answers[0]).toContain("unknown 'x'");
	});

	it('lists the skills in its description when no catalog ran', async () => {
		const { tools } = await say(host, picture({ agent, source, catalog: null }), []);
		expect(tools[0].description).toContain('alpha: Does alpha.');
	});

	it('puts pinned skills into its description when no catalog gave them', async () => {
		const loader = { pinnedSkills: 'alpha, none' };
		const { tools } = await say(host, picture({ agent, source, loader }), []);
		expect(tools[0].description).toContain('Rule of alpha.');
	});

	it('has no catalog in its description when told "never"', async () => {
		const loader = { options: { catalogInDescription: 'never' } };
		const { tools } = await say(host, picture({ agent, source, loader, catalog: null }), []);
		expect(tools[0].description).not.toContain('Does alpha.');
	});

	it.each([0, -1, 1.5, 'many'])('does not work with Max Loaded Skills %j', async (maxLoaded) => {
		const flow = picture({
			agent,
			source,
			loader: { maxLoadedSkills: `={{ ${JSON.stringify(maxLoaded)} }}` },
		});
		const { error } = await say(host, flow, []);
		expect(JSON.stringify(error)).toContain('must be a whole number of at least 1');
	});
});

it('warns under AI Agent 1 and 2 that several items share a session', async () => {
	const flow = picture({ agent: 'agentV2', source });
	const reply = await say(host, flow, [[load('alpha')]], { items: [{}, {}] });
	expect(reply.hints('Loader').filter((hint) => hint.includes('share the session'))).toHaveLength(
		1,
	);
});

it('knows its toolkit by the shape that n8n looks for', async () => {
	const context = supplyContext(picture({ source }), { node: 'Loader' });
	const { response } = await new SkillLoaderTool().supplyData.call(context, 0);
	const toolkit = response as { tools: unknown[]; getTools(): unknown[] };
	expect(toolkit.getTools()).toBe(toolkit.tools);
	expect(toolkit.tools).toHaveLength(4);
});

it('resolves no parameter for a call with arguments that are not its own', async () => {
	const toolCall = { tool: 'load_skill', skill_name: 'alpha', sessionId: 'victim' };
	const context = executeContext(picture({ source }), { node: 'Loader', toolCall });
	const resolved = [
		jest.spyOn(context, 'getNodeParameter'),
		jest.spyOn(context, 'evaluateExpression'),
		jest.spyOn(context, 'getInputConnectionData'),
	];
	const [[{ json }]] = await new SkillLoaderTool().execute.call(context);
	expect(json.response).toContain("unknown 'sessionId'");
	expect(resolved.map(({ mock }) => mock.calls)).toEqual([[], [], []]);
});

it('says what it is for when it is run on its own', async () => {
	const context = executeContext(picture({ source }), { node: 'Loader' });
	await expect(new SkillLoaderTool().execute.call(context)).rejects.toMatchObject({
		message: 'This node is a tool for an AI Agent',
		description: expect.stringContaining('Connect it to the "Tool" input'),
	});
});

describe('when its parameters cannot be used in the middle of a conversation', () => {
	const call = async (loader: object, toolCall: object) => {
		const flow = picture({ source, loader: loader as never });
		const context = executeContext(flow, { node: 'Loader', toolCall: toolCall as never });
		const [[{ json }]] = await new SkillLoaderTool().execute.call(context);
		return json.response;
	};

	it('answers the model instead of failing', async () => {
		const toolCall = { tool: 'load_skill', skill_name: 'alpha' };
		expect(await call({ maxLoadedSkills: 0 }, toolCall)).toMatch(
			/^Error: The skills cannot be used right now: "Max Loaded Skills" must be/,
		);
	});

	it('says that a tool is not offered', async () => {
		const toolCall = { tool: 'search_skills', query: 'x' };
		expect(await call({ tools: ['load_skill'] }, toolCall)).toBe(
			'Error: search_skills is not offered here.',
		);
	});

	it('answers anything that is thrown', async () => {
		const flow = picture({ source });
		const toolCall = { tool: 'load_skill', skill_name: 'alpha' };
		const context = executeContext(flow, { node: 'Loader', toolCall });
		jest.spyOn(context, 'getInputConnectionData').mockRejectedValue('gone');
		const [[{ json }]] = await new SkillLoaderTool().execute.call(context);
		expect(json.response).toBe('Error: The skills cannot be used right now: gone');
	});
});
