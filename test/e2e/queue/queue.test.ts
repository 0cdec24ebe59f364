import { createServer, type AddressInfo, type Server } from 'node:net';

import { systemText, textOf, type ChatRequest, type Script } from '../../../examples/demo/model';
import { freePort, LOOPBACK } from '../../../examples/demo/ports';
import { sleep } from '../../../examples/demo/process';
import { mapParallel } from '../../../nodes/core/parallel';
import { DONE, load, loadedIn, unload, type Reply } from '../support/bench';
import type { SkillFolder } from '../support/skills';
import { readWorld } from '../support/world';
import {
	startQueueWorld,
	type QueueWorld,
	type SharedState,
	type StoreName,
} from './support/world';

const STARTED_AT_MOST_MS = 400_000;
const MANY_AT_MOST_MS = 400_000;
const UNANSWERED_MS = 60_000;
const STORES: StoreName[] = ['postgres', 'redis'];
const AGENTS = [1.9, 2.2, 3.1];
const LOADED_ANEW = /skills are loaded anew in every execution/;

let world: QueueWorld;
let skills: SkillFolder;

beforeAll(async () => {
	world = await startQueueWorld(readWorld().home);
	skills = world.createSkills();
	for (const name of ['skill-0', 'skill-1', 'skill-2', 'skill-3']) {
		skills.write(name, `Does ${name}.`, `Rule of ${name}.`);
	}
}, STARTED_AT_MOST_MS);

afterAll(async () => await world?.stop(), STARTED_AT_MOST_MS);

const startChat = async (version: number, sharedState?: SharedState) =>
	await world.start({ version, skillsPath: skills.path, memory: false, sharedState });

/** All hints of an execution, whichever node shows them. */
const hintsOf = ({ execution }: Reply) =>
	Object.values(execution.data.resultData.runData)
		.flat()
		.flatMap(({ hints = [] }) => hints.map(({ message }) => message));

const lastUserText = ({ messages }: ChatRequest) =>
	textOf(messages.filter(({ role }) => role === 'user').at(-1));

describe.each(STORES)('with Shared State in %s', (store) => {
	it.each(AGENTS)('AI Agent %d goes on where another worker left off', async (version) => {
		const chat = await startChat(version, world.memory(store));
		const first = await chat.say('load', [load('skill-0'), load('skill-1'), DONE]);
		const second = await chat.say('unload', [unload('skill-1'), DONE]);
		const third = await chat.say('look', [DONE]);
		const workers = [first, second, third].map(({ execution }) => world.workerOf(execution.id));
		expect(new Set(workers)).toEqual(new Set([0, 1]));
		expect(loadedIn(second.system)).toEqual(['skill-0', 'skill-1']);
		expect(loadedIn(third.system)).toEqual(['skill-0']);
		expect(third.system).toContain('Rule of skill-0.');
		expect(third.system).not.toContain('Rule of skill-1.');
		expect(hintsOf(third).filter((hint) => LOADED_ANEW.test(hint))).toEqual([]);
	});

	it(
		'keeps 200 loads of 50 sessions, 20 at a time, in one log that is compacted meanwhile',
		async () => {
			const chat = await startChat(3.1, world.memory(store, 'one-for-all'));
			const asked = new Map<string, string>();
			const script: Script = (request) => {
				const [verb, skill, session] = lastUserText(request).split(' ');
				if (verb === 'look') asked.set(session, systemText(request));
				const isAnswered = request.messages.some(({ role }) => role === 'tool');
				return verb === 'load' && !isAnswered ? load(skill) : DONE;
			};
			world.model.script(script);
			const sessions = Array.from({ length: 50 }, (_, index) => `visitor-${index}`);
			const ask = async (session: string, text: string) =>
				(await world.client.chat(chat.webhookId, session, `${text} ${session}`)).status;
			// On a busy machine n8n may end a run and never answer its request: a person asks again.
			const say = async (session: string, text: string) =>
				(await Promise.race([ask(session, text), sleep(UNANSWERED_MS)])) ??
				(await ask(session, text));
			const wishes = ['skill-0', 'skill-1', 'skill-2', 'skill-3'].flatMap((skill) =>
				sessions.map((session) => ({ skill, session })),
			);
			const wish = async ({ skill, session }: (typeof wishes)[0]) =>
				await say(session, `load ${skill}`);
			const statuses = await mapParallel(wishes, wish, 20);
			expect(statuses.filter((status) => status !== 200)).toEqual([]);
			expect(world.workerLogs(/cannot be used now/)).toEqual([]);
			await mapParallel(sessions, async (session) => await say(session, 'look -'), 20);
			const kept = sessions.map((session) => loadedIn(asked.get(session) ?? '').length);
			expect(kept.reduce((sum, count) => sum + count, 0)).toBe(200);
			expect(world.logLength(store, 'one-for-all')).toBeLessThan(200);
		},
		MANY_AT_MOST_MS,
	);
});

// After the others, which look for such warnings in the logs of the workers.
describe.each(STORES)('with Shared State in %s that fails', (store) => {
	it('goes on without it when it is down, and says so', async () => {
		const port = (await freePort()) as number;
		const chat = await startChat(3.1, await world.memoryAt(store, port));
		const reply = await chat.say('load', [load('skill-0'), load('skill-0'), DONE]);
		expect(reply.status).toBe(200);
		expect(reply.results[0]).toContain('Rule of skill-0.');
		expect(reply.results[1]).toContain('already loaded');
		expect(hintsOf(reply).filter((hint) => hint.includes('cannot be used now'))).toHaveLength(1);
		expect(loadedIn((await chat.say('look', [DONE])).system)).toEqual([]);
	});

	it('does not hang when it never answers', async () => {
		const silent = await listenSilently();
		const { port } = silent.address() as AddressInfo;
		const chat = await startChat(2.2, await world.memoryAt(store, port));
		const started = Date.now();
		const reply = await chat.say('load', [load('skill-0'), DONE]);
		expect(reply.results[0]).toContain('Rule of skill-0.');
		expect(hintsOf(reply).join()).toContain('no answer within 5 seconds');
		expect(Date.now() - started).toBeLessThan(60_000);
		silent.close();
	});
});

describe.each(AGENTS)('without Shared State, AI Agent %d', (version) => {
	it('loads skills anew in every execution, and one hint says so', async () => {
		const chat = await startChat(version);
		for (let turn = 0; turn < 3; turn++) {
			const reply = await chat.say('load', [load('skill-0'), load('skill-0'), DONE]);
			expect(loadedIn(reply.system)).toEqual([]);
			expect(reply.results[0]).toContain('Rule of skill-0.');
			expect(reply.results[1]).toContain('already loaded');
			expect(hintsOf(reply).filter((hint) => LOADED_ANEW.test(hint))).toHaveLength(1);
		}
	});
});

it('a memory that lives in one process is not used, with a warning', async () => {
	const parameters = { sessionIdType: 'fromInput' };
	const simple = { type: 'memoryBufferWindow', version: 1.4, parameters };
	const chat = await startChat(3.1, simple);
	for (let turn = 0; turn < 3; turn++) {
		const reply = await chat.say('load', [load('skill-0'), DONE]);
		expect(loadedIn(reply.system)).toEqual([]);
		expect(hintsOf(reply).join()).toContain('lives in one process');
	}
});

it.each(AGENTS)("AI Agent %d: the agent's own memory is refused", async (version) => {
	const chat = await startChat(version, { ...world.memory('postgres'), agent: true });
	const reply = await chat.say('load', [load('skill-0'), DONE]);
	expect(reply.execution.status).toBe('error');
	const { error } = reply.execution.data.resultData;
	expect(error?.message).toMatch(
		/"Shared State" is the memory of "Agent".*Add a second memory node/,
	);
});

it('what a killed worker had loaded is kept, and the next turn runs on the other', async () => {
	const chat = await startChat(3.1, world.memory('postgres'));
	let isBlocked: () => void = () => undefined;
	const blocked = new Promise<void>((resolve) => (isBlocked = resolve));
	world.model.script(async ({ messages }) => {
		if (!messages.some(({ role }) => role === 'tool')) return load('skill-0');
		isBlocked();
		return await new Promise(() => undefined);
	});
	const cut = world.client.chat(chat.webhookId, 'session-1', 'load').catch(() => undefined);
	await blocked;
	const [execution] = await world.client.executionIds(chat.workflowId);
	const victim = world.workerOf(execution);
	process.kill(-world.workers[victim].pid, 'SIGKILL');
	world.model.script(() => DONE);
	const { status } = await world.client.chat(chat.webhookId, 'session-1', 'look');
	expect(status).toBe(200);
	// n8n may try the job of the killed worker again, so another message may be under way as well.
	const look = world.model.requests.find((request) => lastUserText(request) === 'look');
	expect(loadedIn(systemText(look as ChatRequest))).toEqual(['skill-0']);
	const others = (await world.client.executionIds(chat.workflowId)).filter(
		(id) => id !== execution,
	);
	expect(others.map((id) => world.workerOf(id))).toEqual([1 - victim]);
	await Promise.race([cut, sleep(0)]);
});

async function listenSilently(): Promise<Server> {
	const server = createServer(() => undefined);
	await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
	return server;
}
