import { folders, load, picture, say, typed } from '../engine/support/picture';
import { host } from '../shared/support/contexts';

const source = typed({ alpha: 'Rule of alpha.', beta: 'Rule of beta.' });

beforeEach(() => host.restart());

describe('Skill Catalog Prompt', () => {
	it('adds the prompt to every item and keeps its fields', async () => {
		const items = [{ a: 1 }, { a: 2 }];
		const reply = await say(host, picture({ source }), [], { items });
		expect(reply.output('Catalog')).toMatchObject([
			{ json: { a: 1, skillsPrompt: expect.any(String) }, pairedItem: { item: 0 } },
			{ json: { a: 2, skillsPrompt: expect.any(String) }, pairedItem: { item: 1 } },
		]);
	});

	it('has all its options', async () => {
		const options = {
			outputField: ' prompt ',
			addSkills: true,
			maxTokens: 0,
			showWarnings: false,
			pinnedSkills: 'alpha, none',
			userMessage: '/beta now',
			toolPrefix: 'x_',
			session: 'me',
			stateName: 'mine',
		};
		const catalog = { format: 'xml', options };
		const reply = await say(host, picture({ source, catalog }), []);
		const [{ json }] = reply.output('Catalog');
		expect(json.prompt).toContain('x_load_skill');
		expect(json.prompt).toMatch(/Rule of alpha\.[^]*Rule of beta\./);
		expect(json.skills).toMatchObject([
			{ name: 'alpha', loaded: true, source: 'Workflow', directory: '/alpha' },
			{ name: 'beta', loaded: true },
		]);
		expect(reply.hints('Catalog')).toEqual([
			'2 skills found: Workflow (2).',
			'No skill is named &quot;none&quot;; check &quot;Pinned Skills&quot;.',
			'The skill &quot;beta&quot; has been activated by the user.',
		]);
	});

	it('gives licence and compatibility as data where a skill has them', async () => {
		const content = '---\nname: a\ndescription: d\nlicense: MIT\ncompatibility: any\n---\n';
		const items = JSON.stringify([{ path: 'a/SKILL.md', content }]);
		const data = { backend: 'data', dataFrom: 'items', items };
		const catalog = { options: { addSkills: true } };
		const [{ json }] = (await say(host, picture({ source: data, catalog }), [])).output('Catalog');
		expect(json.skills).toMatchObject([{ license: 'MIT', compatibility: 'any' }]);
	});

	it('ignores a message that is no text', async () => {
		const { status, system } = await say(host, picture({ source }), [], {
			items: [{ chatInput: 5 }],
		});
		expect(status).toBe('success');
		expect(system).not.toContain('Rule of');
	});

	it.each([
		[undefined, 'error', undefined],
		['continueRegularOutput', 'success', { a: 1, error: 'Error in sub-node Source' }],
	] as const)('with onError %j a failure ends in "%s"', async (onError, status, json) => {
		const broken = folders('/nowhere', { onSourceError: 'fail' });
		const flow = picture({ source: broken, loader: null });
		flow.nodes[1].onError = onError;
		const reply = await say(host, flow, [], { items: [{ a: 1 }] });
		expect(reply.status).toBe(status);
		expect(reply.output('Catalog')[0]?.json).toEqual(json);
	});

	it('sends a failed item to the error output where there is one', async () => {
		const broken = folders('/nowhere', { onSourceError: 'fail' });
		const flow = picture({ source: broken, loader: null });
		flow.nodes[1].onError = 'continueErrorOutput';
		const reply = await say(host, flow, [], { items: [{ a: 1 }] });
		const [ok, failed] = reply.runs('Catalog')[0].data?.main ?? [];
		expect([ok?.length, failed?.length]).toEqual([0, 1]);
	});

	it('gives the instructions of loaded skills again unless told not to', async () => {
		const on = picture({ source });
		const off = picture({ source, catalog: { includeInstructions: false } });
		for (const flow of [on, off]) await say(host, flow, [[load('alpha')]]);
		expect((await say(host, on, [])).system).toContain('Rule of alpha.');
		expect((await say(host, off, [])).system).not.toContain('Rule of alpha.');
	});
});
