import type { IDataObject } from 'n8n-workflow';

import { named, records, useFreshLibrary, type NodeRun } from './support/node';

useFreshLibrary();

const FROM_MODEL = "={{ $fromAI('skill', 'Name of the skill', 'string') }}";
const asked = { ...named(FROM_MODEL), user: "={{ $('Trigger').all()[$itemIndex].json.user }}" };

/** What a tool answers to a model whose arguments AI Agent 3 lays over the item of the user. */
async function call(
	args: IDataObject,
	parameters: IDataObject = {},
	run: NodeRun = {},
): Promise<IDataObject> {
	const user = { user: 'mallory' };
	const [answer] = await records(
		'skill',
		'get',
		{ ...asked, ...parameters },
		{
			asTool: true,
			items: [{ ...user, ...args, toolCallId: 'call-1' }],
			triggered: [user],
			toolCall: args,
			...run,
		},
	);
	return answer;
}

beforeEach(async () => {
	const text = { skillDescription: 'Secret.', instructions: 'Secret text.' };
	await records('skill', 'create', { user: 'anna', skillName: 'secret', ...text });
	await records('skill', 'create', { user: 'mallory', skillName: 'own', ...text });
});

it('a tool does for its user what the model asks', async () => {
	expect(await call({ skill: 'own' })).toMatchObject({ name: 'own', content: 'Secret text.' });
});

it('an error is an answer, without the key by which n8n tries again', async () => {
	const answer = await call({ skill: 'secret' });
	expect(answer).toMatchObject({ success: false, problem: expect.stringContaining('no such') });
	expect(answer).not.toHaveProperty('error');
});

describe('a model does not become somebody else', () => {
	it.each(['user', 'ownerId', 'actAsAdministrator'])('by an argument "%s"', async (key) => {
		const answer = await call({ skill: 'secret', [key]: 'anna' });
		expect(answer).toMatchObject({
			problem: `Unknown argument "${key}"`,
			hint: expect.stringContaining('skill'),
		});
	});

	it.each([
		["={{ $fromAI('user', '', 'string') }}", '$fromAI'],
		['={{ $json.user }}', '$json'],
		['={{ $input.item.json.user }}', '$input'],
		['={{ $parameter.skill.value }}', '$parameter'],
	])('by a "User" of %s', async (user, name) => {
		const answer = await call({ skill: 'secret' }, { user });
		expect(answer.problem).toContain(`must not be read with ${name}`);
		expect(answer.hint).toContain("$('Chat')");
	});

	it('by a calculated switch', async () => {
		const actAsAdministrator = "={{ $fromAI('admin', '', 'boolean') }}";
		const answer = await call({ skill: 'secret', admin: true }, { actAsAdministrator });
		expect(answer.problem).toContain('must be switched, not calculated');
	});

	it('nor chooses by an argument what the workflow reads from the item', async () => {
		const search = "={{ $fromAI('term', '', 'string') }}";
		const parameters = { user: 'mallory', search, filters: { names: '={{ $json.term }}' } };
		const items = [{ term: 'Secret', toolCallId: 'call-1' }];
		const run = { asTool: true, items, toolCall: { term: 'Secret' } };
		expect(await records('skill', 'getAll', parameters, run)).toMatchObject([{ name: 'own' }]);
	});

	it('by being the agent of several users at once', async () => {
		const users = [{ user: 'mallory' }, { user: 'anna' }];
		const answer = await call({}, named('own'), { items: users, triggered: users, toolCall: {} });
		expect(answer.problem).toContain('The agent has several items');
	});
});

it('outside of a tool the user may come from the item', async () => {
	const parameters = { user: '={{ $json.user }}', ...named('secret') };
	const [skill] = await records('skill', 'get', parameters, { items: [{ user: 'anna' }] });
	expect(skill).toMatchObject({ name: 'secret' });
});

it('a user that is no text is refused, an empty one is nobody', async () => {
	const list = async (user: unknown) =>
		await records(
			'skill',
			'getAll',
			{ user: '={{ $json.user }}' },
			{ items: [{ user } as IDataObject] },
		);
	await expect(list({ name: 'anna' })).rejects.toThrow('"User" is no text');
	expect(await list(null)).toEqual([]);
	expect(await list('')).toEqual([]);
	await records('skill', 'create', {
		user: 7,
		skillName: 'numbered',
		skillDescription: 'Of user 7.',
	});
	expect(await list(7)).toMatchObject([{ ownerId: '7' }]);
});
