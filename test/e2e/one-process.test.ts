import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Script } from '../../examples/demo/model';
import { LOOPBACK } from '../../examples/demo/ports';
import { DONE, load, loadedIn, openBench, storedSkills } from './support/bench';
import type { Bench, Conversation } from './support/bench';
import { startFeed, type Feed } from './support/feed';
import { startGate } from './support/gate';
import { createSkillFolder } from './support/skills';
import { addBranch, type WorkflowBuilder } from './support/workflows';

// n8n keeps a shorter Wait in memory, where nothing is written back.
const WAIT_SECONDS = 70;
const EVENT_AT_MOST_MS = 150_000;
const POLL_MS = 250;
const VISITORS = 200;

/** Writes static data, as a node of somebody else may: so that n8n saves the run's copy of it. */
const COUNTER = {
	name: 'Counter',
	type: 'n8n-nodes-base.code',
	version: 2,
	parameters: {
		jsCode:
			"const data = $getWorkflowStaticData('global'); data.count = (data.count ?? 0) + 1; return $input.all();",
	},
};

let bench: Bench;
let feed: Feed;
let flaky: Server;
let skillsPath: string;
let isServiceUp = false;
/** What must be loaded after the restart: in which workflow, in which session. */
const expected: Array<{ what: string; chat: Conversation; session: string; skills: string[] }> = [];

beforeAll(async () => {
	bench = await openBench();
	feed = await startFeed();
	flaky = createServer((_request, response) =>
		response.writeHead(isServiceUp ? 200 : 500).end('{}'),
	);
	await new Promise<void>((resolve) => flaky.listen(0, LOOPBACK, resolve));
	const skills = createSkillFolder();
	skills.write('invoice-check', 'Checks invoices.', 'Invoice rule: ask for the IBAN.');
	skills.write('weekly-report', 'Writes the weekly report.', 'Report rule: figures first.');
	skillsPath = skills.path;
});

afterAll(async () => {
	flaky?.close();
	await feed?.stop();
	await bench?.close();
});

/** What the database says is loaded in a session. */
function stored(chat: Conversation, session: string): string[] {
	return storedSkills(chat.staticData()).get(session) ?? [];
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
	const deadline = Date.now() + EVENT_AT_MOST_MS;
	for (let problem: unknown; ; ) {
		// A busy n8n may refuse a request or take too long; what counts is that it comes about.
		const isNow = await Promise.resolve()
			.then(isSo)
			.catch((error: unknown) => ((problem = error), false));
		if (isNow) return;
		if (Date.now() > deadline) throw new Error(`Still not so: ${what}`, { cause: problem });
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
}

async function newestRun(chat: Conversation): Promise<{ id: string; status: string }> {
	const [id] = await bench.client.executionIds(chat.workflowId);
	if (id === undefined) return { id: '', status: 'none' };
	return await bench.client.get<{ id: string; status: string }>(`/rest/executions/${id}`);
}

async function loadIn(chat: Conversation, session: string, skill: string): Promise<void> {
	const { execution } = await chat.say('hello', [load(skill), DONE], session);
	expect(execution.status).toBe('success');
}

/** A short run in another session, which loads nothing. */
async function passBy(chat: Conversation): Promise<void> {
	await chat.say('hello', [DONE], 'passer-by');
}

/** A model that loads a skill and then never comes back. */
function loadAndHang(skill: string): { script: Script; hangs: () => boolean } {
	let hanging = false;
	const script: Script = async ({ messages }) => {
		if (!messages.some(({ role }) => role === 'tool')) return load(skill);
		hanging = true;
		return await new Promise((resolve) => setTimeout(() => resolve(DONE), 20_000).unref());
	};
	return { script, hangs: () => hanging };
}

let waiting: Conversation;
let waitingRun: string;

it('(starts a run that waits for more than 65 seconds)', async () => {
	const parameters = { resume: 'timeInterval', amount: WAIT_SECONDS, unit: 'seconds' };
	const wait = { name: 'Wait', type: 'n8n-nodes-base.wait', version: 1.1, parameters };
	const extend = (builder: WorkflowBuilder) => addBranch(builder, 'wait', [wait, COUNTER]);
	waiting = await bench.start({ version: 3.1, skillsPath, extend });
	bench.model.script([load('invoice-check'), DONE]);
	void bench.client.chat(waiting.webhookId, 'anna', 'please wait').catch(() => undefined);
	await until('the run waits', async () => (await newestRun(waiting)).status === 'waiting');
	waitingRun = (await newestRun(waiting)).id;
	await loadIn(waiting, 'boris', 'weekly-report');
});

describe.each([
	['leads to a Skill Catalog Prompt', 'n8n-nodes-agent-skills.skillCatalogPrompt', 1],
	['leads elsewhere', 'n8n-nodes-base.noOp', 1],
])('a polling trigger in the same workflow that %s', (what, type, version) => {
	let chat: Conversation;

	it('does not undo what was loaded in chats', async () => {
		const item = [0, 10, 20, 30, 40, 50].map((second) => ({
			mode: 'custom',
			cronExpression: `${second} * * * * *`,
		}));
		const trigger = { pollTimes: { item }, feedUrl: feed.url };
		chat = await bench.start({
			version: 3.1,
			skillsPath,
			extend(builder) {
				builder.add('News', 'n8n-nodes-base.rssFeedReadTrigger', 1, trigger);
				builder.add('On News', type, version, {});
				builder.connect('News', 'main', 'On News');
				if (type.endsWith('.skillCatalogPrompt'))
					builder.connect('Source', 'ai_document', 'On News');
			},
		});
		await loadIn(chat, 'anna', 'invoice-check');
		expect(stored(chat, 'anna')).toEqual(['invoice-check']);
		const runs = (await bench.client.executionIds(chat.workflowId)).length;
		feed.publish();
		await until('the trigger fired', async () => {
			return (await bench.client.executionIds(chat.workflowId)).length > runs;
		});
		const polled = await bench.client.lastExecution(chat.workflowId);
		expect([polled.mode, polled.status]).toEqual(['trigger', 'success']);
		// Where a node of ours ran it has put right what the poll wrote back; else the next chat does.
		if (type.endsWith('.noOp')) expect(stored(chat, 'anna')).toEqual([]);
		else expect(stored(chat, 'anna')).toEqual(['invoice-check']);
	});

	it('leaves the database whole after the next message at the latest', async () => {
		const next = await chat.say('next', [DONE], 'boris');
		expect(loadedIn(next.system)).toEqual([]);
		expect(stored(chat, 'anna')).toEqual(['invoice-check']);
		expected.push({ what: `poll, ${what}`, chat, session: 'anna', skills: ['invoice-check'] });
	});
});

describe('a retried execution', () => {
	it('does not undo what was loaded since it failed', async () => {
		const { port } = flaky.address() as AddressInfo;
		const parameters = { url: `http://${LOOPBACK}:${port}/`, options: {} };
		const service = {
			name: 'Service',
			type: 'n8n-nodes-base.httpRequest',
			version: 4.2,
			parameters,
		};
		const chat = await bench.start({
			version: 3.1,
			skillsPath,
			extend: (builder) => addBranch(builder, 'service', [service, COUNTER]),
		});
		const failed = await chat.say('call the service', [load('invoice-check'), DONE], 'anna');
		expect(failed.execution.status).toBe('error');
		await loadIn(chat, 'boris', 'weekly-report');
		isServiceUp = true;
		const path = `/rest/executions/${failed.execution.id}/retry`;
		const { status } = await bench.client.send<{ status: string }>('POST', path, {
			loadWorkflow: false,
		});
		expect(status).toBe('success');
		// This is what n8n does: the copy from before the failed run is saved.
		expect([...stored(chat, 'anna'), ...stored(chat, 'boris')]).toEqual([]);
		await passBy(chat);
		expect(stored(chat, 'anna')).toEqual(['invoice-check']);
		expect(stored(chat, 'boris')).toEqual(['weekly-report']);
		expected.push(
			{ what: 'retry', chat, session: 'anna', skills: ['invoice-check'] },
			{ what: 'retry', chat, session: 'boris', skills: ['weekly-report'] },
		);
	});
});

describe.each([2.2, 3.1])('under AI Agent %d', (version) => {
	it.each(['canceled', 'timed out'])('a run that was %s keeps what it loaded', async (how) => {
		const settings = how === 'timed out' ? { executionTimeout: 4 } : {};
		const chat = await bench.start({ version, skillsPath, settings });
		const { script, hangs } = loadAndHang('invoice-check');
		bench.model.script(script);
		const answer = bench.client.chat(chat.webhookId, 'anna', 'hello').catch(() => undefined);
		await until('the model hangs', hangs);
		const { id } = await newestRun(chat);
		if (how === 'canceled') await bench.client.send('POST', `/rest/executions/${id}/stop`, {});
		await until('the run has ended', async () => (await newestRun(chat)).status === 'canceled');
		await answer;
		// This is what n8n does: such a run saves nothing.
		expect(stored(chat, 'anna')).toEqual([]);
		await passBy(chat);
		expect(stored(chat, 'anna')).toEqual(['invoice-check']);
		expected.push({ what: how, chat, session: 'anna', skills: ['invoice-check'] });
	});
});

/** A second way into the workflow: loads a skill by "/name", without a model, and is then held. */
function addVisits(builder: WorkflowBuilder, path: string, gate: string): void {
	const webhook = { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} };
	builder.add('Visit', 'n8n-nodes-base.webhook', 2, webhook, { webhookId: path });
	const options = {
		session: "={{ $('Visit').item.json.body.session }}",
		userMessage: '/invoice-check',
	};
	builder.add('Visit Catalog', 'n8n-nodes-agent-skills.skillCatalogPrompt', 1, { options });
	builder.add('Hold', 'n8n-nodes-base.httpRequest', 4.2, { url: gate, options: {} });
	builder.connect('Visit', 'main', 'Visit Catalog');
	builder.connect('Source', 'ai_document', 'Visit Catalog');
	builder.connect('Visit Catalog', 'main', 'Hold');
}

it(
	`${VISITORS} executions at the same time lose nothing of each other`,
	async () => {
		const gate = await startGate(VISITORS);
		const path = randomUUID();
		const chat = await bench.start({
			version: 3.1,
			skillsPath,
			extend: (builder) => addVisits(builder, path, gate.url),
		});
		const sessions = Array.from({ length: VISITORS }, (_, index) => `visitor-${index}`);
		// n8n turns some away while its database is slow to answer; they come again.
		const visit = async (session: string) =>
			await until(`${session} is served`, async () => {
				return (await bench.client.callWebhook(path, { session })).status === 200;
			});
		await Promise.all(sessions.map(visit));
		await gate.stop();
		expect(gate.most()).toBeGreaterThan(VISITORS / 2);
		const skills = storedSkills(chat.staticData());
		const kept = sessions.filter((session) => skills.get(session)?.includes('invoice-check'));
		expect(kept).toHaveLength(VISITORS);
		for (const session of [sessions[0], sessions[VISITORS - 1]]) {
			expected.push({ what: 'many at once', chat, session, skills: ['invoice-check'] });
		}
	},
	2 * EVENT_AT_MOST_MS,
);

it('a timed Wait of more than 65 seconds does not undo what was loaded meanwhile', async () => {
	await until('the run went on', async () => {
		const path = `/rest/executions/${waitingRun}`;
		return (await bench.client.get<{ status: string }>(path)).status === 'success';
	});
	// This is what n8n does: the copy from before the Wait is saved.
	expect([...stored(waiting, 'anna'), ...stored(waiting, 'boris')]).toEqual([]);
	await passBy(waiting);
	expect(stored(waiting, 'anna')).toEqual(['invoice-check']);
	expect(stored(waiting, 'boris')).toEqual(['weekly-report']);
	expected.push(
		{ what: 'wait', chat: waiting, session: 'anna', skills: ['invoice-check'] },
		{ what: 'wait', chat: waiting, session: 'boris', skills: ['weekly-report'] },
	);
});

it('all of that is still loaded after a restart of n8n', async () => {
	expect(new Set(expected.map(({ what }) => what)).size).toBe(7);
	await bench.restartN8n();
	for (const { chat, session, skills } of expected) {
		const next = await chat.say('next', [DONE], session);
		expect(loadedIn(next.system)).toEqual(skills);
		expect(next.system).toContain('full instructions');
	}
});
