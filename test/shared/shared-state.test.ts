import { chatOf, chats } from '../engine/support/memory';
import {
	AGENT_WAYS,
	load,
	picture,
	say,
	typed,
	unload,
	type Reply,
} from '../engine/support/picture';
import { storedSessions } from '../engine/support/stored';
import { host } from './support/contexts';

import { decodeEntry } from '../../nodes/core/journal';
import { SHARED_STATE_TIMEOUT_MS } from '../../nodes/core/limits';
import { isQueueMode } from '../../nodes/shared/queue';

const source = typed({ alpha: 'Rule of alpha.', beta: 'Rule of beta.', gamma: 'Rule of gamma.' });
const ofSession = (sessionId: string) => ({ items: [{ sessionId }] });
const LOADED_ANEW = /skills are loaded anew in every execution/;

/** The next execution runs in another process, which knows nothing. */
const elsewhere = () => host.restart();
const entries = async (key = 'key') =>
	(await chatOf(key).getMessages()).map(({ content }) => decodeEntry(content as string));
const warnings = (reply: Reply) => [...reply.hints('Catalog'), ...reply.hints('Loader')];
const inQueueMode = () => {
	process.env.EXECUTIONS_MODE = 'queue';
};

beforeEach(() => {
	host.restart();
	chats.clear();
});

afterEach(() => {
	delete process.env.EXECUTIONS_MODE;
});

describe.each(AGENT_WAYS)('Shared State under %s', (_, agent) => {
	it('carries loaded skills from process to process', async () => {
		const flow = picture({ agent, source, sharedState: {} });
		await say(host, flow, [[load('alpha')], [load('beta')]], ofSession('one'));
		elsewhere();
		const next = await say(host, flow, [[unload('beta')]], ofSession('one'));
		expect(next.system).toContain('**alpha** [Loaded]');
		expect(next.system).toContain('Rule of beta.');
		elsewhere();
		const last = await say(host, flow, [], ofSession('one'));
		expect(last.system).toContain('**alpha** [Loaded]');
		expect(last.system).not.toContain('**beta** [Loaded]');
		expect(storedSessions(host, flow)).toEqual([]);
	});

	it('keeps sessions, agents, workflows and test runs apart, though the key is one for all', async () => {
		const flow = picture({ agent, source, sharedState: {} });
		await say(host, flow, [[load('alpha')]], ofSession('one'));
		const options = { stateName: 'other' };
		const other = { ...flow, nodes: structuredClone(flow.nodes) };
		for (const { name, parameters } of other.nodes) {
			if (name === 'Catalog' || name === 'Loader') parameters.options = options;
		}
		const looks = [
			await say(host, flow, [], ofSession('two')),
			await say(host, other, [], ofSession('one')),
			await say(host, { ...flow, id: 'another' }, [], ofSession('one')),
			await say(host, flow, [], { ...ofSession('one'), mode: 'manual' }),
		];
		for (const { system } of looks) expect(system).not.toContain('[Loaded]:');
		expect((await say(host, flow, [], ofSession('one'))).system).toContain('**alpha** [Loaded]');
	});

	it('holds the budget when two calls of a turn want the last slot', async () => {
		const loader = { maxLoadedSkills: 1 };
		const flow = picture({ agent, source, loader, sharedState: {} });
		const reply = await say(host, flow, [[load('alpha'), load('beta')]], ofSession('one'));
		expect(reply.answers[0]).toContain('Rule of alpha.');
		expect(reply.answers[1]).toContain('Maximum number of simultaneously loaded skills reached');
	});

	it('hands a skill over once in an execution, and again in the next', async () => {
		const flow = picture({ agent, source, catalog: null, sharedState: {} });
		const first = await say(host, flow, [[load('alpha')], [load('alpha')]], ofSession('one'));
		expect(first.answers[1]).toContain('already loaded');
		elsewhere();
		const next = await say(host, flow, [[load('alpha')], [load('alpha')]], ofSession('one'));
		expect(next.answers[0]).toContain('keeps its slot');
		expect(next.answers[1]).toContain('already loaded');
		expect(await entries()).toHaveLength(1);
	});

	it.each([
		['refuses', 'refused', 'ECONNREFUSED'],
		['cannot be opened', 'node', 'No session ID found'],
		['takes no entry', 'writes', 'ECONNREFUSED'],
	])('a store that %s costs the state, not the run', async (__, down, reason) => {
		const flow = picture({ agent, source, sharedState: { down } });
		const turns = [[load('alpha')], [load('alpha')], [unload('alpha')]];
		const reply = await say(host, flow, turns, ofSession('one'));
		expect(reply.status).toBe('success');
		expect(reply.answers[0]).toContain('Rule of alpha.');
		expect(reply.answers[1]).toContain('already loaded');
		expect(reply.answers[2]).toContain('unloaded');
		const told = warnings(reply).filter((hint) => hint.includes('cannot be used now'));
		expect(told).toHaveLength(1);
		expect(told[0]).toContain(reason);
	});

	it("refuses the agent's own memory and says what to add", async () => {
		const sharedStateOf = ['Loader', 'Agent'];
		const flow = picture({ agent, source, catalog: null, sharedState: {}, sharedStateOf });
		const reply = await say(host, flow, [[load('alpha')]], ofSession('one'));
		expect(reply.status).toBe('error');
		const text = `${reply.error?.message} ${(reply.error as { description?: string }).description}`;
		expect(text).toMatch(/"Memory" is the memory of "Agent".*Add a second memory node/);
	});
});

it('leaves a memory alone in which somebody keeps a conversation, and the run goes on', async () => {
	const flow = picture({ source, sharedState: {} });
	await chatOf('key').addUserMessage('Hello');
	const reply = await say(host, flow, [[load('alpha')]], ofSession('one'));
	expect(reply.answers[0]).toContain('Rule of alpha.');
	expect(warnings(reply).join()).toMatch(/holds a conversation. Give its node a key/);
	expect(await chatOf('key').getMessages()).toHaveLength(1);
});

it('never writes down whose conversation it is', async () => {
	const flow = picture({ source, sharedState: {} });
	await say(host, flow, [[load('alpha')]], ofSession('chat-7'));
	expect(JSON.stringify(await entries())).not.toContain('chat-7');
});

it('keeps out of the log what each execution has for itself', async () => {
	const options = { noSession: 'execution' };
	const flow = picture({ source, loader: { options }, catalog: { options }, sharedState: {} });
	const reply = await say(host, flow, [[load('alpha')], [load('alpha')]]);
	expect(reply.answers[1]).toContain('already loaded');
	expect(warnings(reply).join()).not.toMatch(LOADED_ANEW);
	expect(await entries()).toEqual([]);
});

it('asks no store for the pins of a node that has none', async () => {
	const flow = picture({ source, catalog: null, sharedState: { down: 'node' } });
	const reply = await say(host, flow, [], ofSession('one'));
	expect(reply.status).toBe('success');
	expect(warnings(reply)).toEqual([]);
	const getMessages = jest.spyOn(chatOf('key'), 'getMessages');
	await say(host, picture({ source, catalog: null, sharedState: {} }), [], ofSession('one'));
	expect(getMessages).not.toHaveBeenCalled();
});

it.each(AGENT_WAYS)(
	'a hostile model breaks no budget by calls at once: %s',
	async (_, agent) => {
		const loader = { maxLoadedSkills: 2 };
		const flow = picture({ agent, source, loader, sharedState: {} });
		const calls = Array.from({ length: 50 }, (__, index) =>
			index % 5 === 4 ? unload('alpha') : load(['alpha', 'beta', 'gamma'][index % 3]),
		);
		const { answers, status } = await say(host, flow, [calls], ofSession('one'));
		expect([status, answers.length]).toEqual(['success', 50]);
		const next = await say(host, flow, [], ofSession('one'));
		expect((next.system.match(/\w\*\* \[Loaded\]/g) ?? []).length).toBeLessThanOrEqual(2);
	},
	30_000,
);

it("refuses a copy of the agent's memory, which has the same key", async () => {
	const flow = picture({ source, sharedState: {} });
	const memory = flow.nodes.find(({ name }) => name === 'Memory');
	flow.nodes.push({ ...structuredClone(memory as NonNullable<typeof memory>), name: 'Memory1' });
	expect((await say(host, flow, [], ofSession('one'))).status).toBe('success');
	flow.connections.Memory1 = {
		ai_memory: [[{ node: 'Agent', type: 'ai_memory', index: 0 }]],
	};
	const reply = await say(host, flow, [], ofSession('one'));
	expect(reply.error?.message).toMatch(
		/same key as "Memory1", the memory of "Agent".*Add a second/,
	);
});

it('refuses a memory that gives back something else than it was given', async () => {
	const flow = picture({ source, sharedState: {} });
	const memory = flow.nodes.find(({ name }) => name === 'Memory');
	const type = '@n8n/n8n-nodes-langchain.memoryZep';
	const types = host as unknown as { nodeTypes: { getByName(type: string): unknown } };
	const known = types.nodeTypes.getByName('test.memory');
	Object.assign(types.nodeTypes, withType(types.nodeTypes, type, known));
	Object.assign(memory as object, { type });
	const reply = await say(host, flow, [], ofSession('one'));
	expect(reply.error?.message).toMatch(/"Memory" cannot be used as Shared State/);
});

it('waits once for a store that never answers, whoever asks in the next seconds', async () => {
	const flow = picture({ source, sharedState: { down: 'silent' } });
	const items = ['one', 'two', 'three'].map((sessionId) => ({ sessionId }));
	const started = Date.now();
	const reply = await say(host, flow, [[load('alpha')]], { items });
	const next = await say(host, flow, [], ofSession('one'));
	expect(Date.now() - started).toBeLessThan(2 * SHARED_STATE_TIMEOUT_MS);
	expect(reply.answersOf(2)[0]).toContain('Rule of alpha.');
	expect(warnings(reply).join()).toContain('no answer within 5 seconds');
	expect(warnings(next).join()).toContain('cannot be used now');
}, 30_000);

it('says when catalog and loader keep the state in different places', async () => {
	const flow = picture({ source, sharedState: {}, sharedStateOf: ['Catalog'] });
	const reply = await say(host, flow, [[load('alpha')]], ofSession('one'));
	expect(warnings(reply).filter((hint) => hint.includes('in different places'))).toHaveLength(1);
});

it('keeps pinned skills out of the log', async () => {
	const catalog = { options: { pinnedSkills: 'alpha' } };
	const flow = picture({ source, catalog, loader: { pinnedSkills: 'alpha' }, sharedState: {} });
	const reply = await say(host, flow, [[load('beta')]], ofSession('one'));
	expect(reply.system).toContain('Rule of alpha.');
	expect((await entries()).map((one) => (one as { skill: { name: string } }).skill.name)).toEqual([
		'beta',
	]);
});

describe('queue mode without Shared State', () => {
	beforeEach(inQueueMode);

	it.each(AGENT_WAYS)('says once that skills are loaded anew: %s', async (_, agent) => {
		const flow = picture({ agent, source });
		const reply = await say(host, flow, [[load('alpha')], [load('alpha')]], ofSession('one'));
		expect(reply.answers[1]).toContain('already loaded');
		expect(warnings(reply).filter((hint) => LOADED_ANEW.test(hint))).toHaveLength(1);
	});

	it('marks nothing as loaded that another worker may have unloaded', async () => {
		const flow = picture({ source });
		await say(host, flow, [[load('alpha')]], ofSession('one'));
		const next = await say(host, flow, [[load('alpha')]], ofSession('one'));
		expect(next.system).not.toContain('[Loaded]:');
		expect(next.answers[0]).toContain('Rule of alpha.');
		expect(host.staticData(flow)).toEqual({});
	});

	it.each([' queue ', '"queue"', "'queue'"])('n8n reads %j as queue mode', (mode) => {
		process.env.EXECUTIONS_MODE = mode;
		expect(isQueueMode()).toBe(true);
	});

	it.each(['worker', 'webhook'])('a %s is in queue mode by its command', async (name) => {
		delete process.env.EXECUTIONS_MODE;
		const command = process.argv[2];
		process.argv[2] = name;
		const reply = await say(host, picture({ source }), [], ofSession('one'));
		process.argv[2] = command;
		expect(warnings(reply).join()).toMatch(LOADED_ANEW);
	});

	it('a memory that lives in one process is not used', async () => {
		const flow = picture({ source, sharedState: {} });
		const type = '@n8n/n8n-nodes-langchain.memoryBufferWindow';
		const types = host as unknown as { nodeTypes: { getByName(type: string): unknown } };
		const known = types.nodeTypes.getByName('test.memory');
		Object.assign(types.nodeTypes, withType(types.nodeTypes, type, known));
		Object.assign(flow.nodes.find(({ name }) => name === 'Memory') as object, { type });
		const reply = await say(host, flow, [[load('alpha')]], ofSession('one'));
		expect(warnings(reply).join()).toContain('lives in one process');
		expect(await entries()).toEqual([]);
	});
});

it('queue mode with Shared State needs no hint', async () => {
	inQueueMode();
	const flow = picture({ source, sharedState: {} });
	const reply = await say(host, flow, [[load('alpha')]], ofSession('one'));
	expect(warnings(reply).join()).not.toMatch(LOADED_ANEW);
});

/** Node types that know one more type. */
function withType(types: { getByName(type: string): unknown }, name: string, known: unknown) {
	const { getByName } = types;
	const get = (type: string) => (type === name ? known : getByName(type));
	return { getByName: get, getByNameAndVersion: get };
}
