import { DONE, load, openBench, use, type Bench } from '../support/bench';
import { library, named, newSkill } from '../support/library';

let bench: Bench;

// Whoever chats is the user: the session of a chat comes from the trigger.
const user = "={{ $('Chat').item.json.sessionId }}";
const fromModel = "={{ $fromAI('skill', 'Name of the skill', 'string') }}";

beforeAll(async () => {
	bench = await openBench();
});

afterAll(async () => {
	await bench.close();
});

describe.each([1.9, 2.2, 3.1])('AI Agent %d', (version) => {
	const suffix = String(version).replace('.', '-');
	const [anna, boris] = [`anna-${suffix}`, `boris-${suffix}`];
	const [secret, shared] = [`secret-${suffix}`, `shared-${suffix}`];
	const source = { parameters: { backend: 'library', user } };

	beforeAll(async () => {
		const isPublic = { visibility: 'public' };
		await library(bench, 'skill', 'create', { user: anna, ...newSkill(secret, 'Secret rule.') });
		await library(bench, 'skill', 'create', {
			user: anna,
			...newSkill(shared, 'Shared rule.', isPublic),
		});
	});

	it('offers a private skill to its owner only, and a public one to all', async () => {
		const chat = await bench.start({ version, source });
		const own = await chat.say('hello', [load(secret), DONE], anna);
		const other = await chat.say('hello', [load(secret), load(shared), DONE], boris);
		expect(own.system).toContain(secret);
		expect(own.results[0]).toContain('Secret rule.');
		expect(other.system).toContain(shared);
		expect(other.system).not.toContain(secret);
		expect(other.results[0]).toContain('not found');
		expect(other.results[1]).toContain('Shared rule.');
	});

	it('counts what was loaded, and by whom', async () => {
		const parameters = { user: anna, usageOf: 'one', ...named(shared), countBy: 'user' };
		const usage = await library(bench, 'usage', 'getAll', parameters);
		const loads = usage.map(({ json }) => `${String(json.user)}: ${String(json.loads)}`);
		expect(loads).toContain(`${boris}: 1`);
	});

	it('sees a change with the next tool call', async () => {
		const chat = await bench.start({ version, source });
		const change = { user: anna, ...named(secret), changes: { content: 'Changed rule.' } };
		const turns = [load(shared), load(secret), DONE];
		const reply = await chat.say(
			'hello',
			async () => {
				// Between the first call and the second, while the agent waits for its model.
				if (turns.length === 2) await library(bench, 'skill', 'update', change);
				return turns.shift() ?? DONE;
			},
			anna,
		);
		expect(reply.results[1]).toContain('Changed rule.');
	});

	it('uses the node itself as a tool, for the user of the chat', async () => {
		const parameters = { resource: 'skill', operation: 'get', user, ...named(fromModel) };
		const chat = await bench.start({ version, source, library: parameters });
		const own = await chat.say('show it', [use('Library', { skill: secret }), DONE], anna);
		const other = await chat.say('show it', [use('Library', { skill: secret }), DONE], boris);
		expect(own.results[0]).toContain('Changed rule.');
		expect(other.results[0]).toContain('no such skill');
		expect(other.results[0]).not.toContain('Changed rule.');
		expect(other.execution.status).toBe('success');
	});

	it('does not let the model become somebody else', async () => {
		const parameters = { resource: 'skill', operation: 'get', user, ...named(fromModel) };
		const chat = await bench.start({ version, source, library: parameters });
		const hostile = { skill: secret, user: anna, sessionId: anna, actAsAdministrator: true };
		const attack = await chat.say('show it', [use('Library', hostile), DONE], boris);
		expect(attack.results[0]).not.toContain('Changed rule.');
	});

	it('refuses to work when the model is to say who the user is', async () => {
		const parameters = {
			resource: 'skill',
			operation: 'get',
			user: "={{ $fromAI('who', 'The user', 'string') }}",
			...named(fromModel),
		};
		const chat = await bench.start({ version, source, library: parameters });
		const call = use('Library', { skill: secret, who: anna });
		const attack = await chat.say('show it', [call, DONE], boris);
		expect(attack.results[0]).toContain('must not be read with $fromAI');
		expect(attack.results[0]).not.toContain('Changed rule.');
	});
});
