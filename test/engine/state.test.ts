import type { INode, INodeParameters } from 'n8n-workflow';

import { Host } from './support/host';
import { compiledPackage } from './support/package';
import { AGENT_WAYS, folders, load, picture, say, unload } from './support/picture';
import { skillFolder, type SkillFolder } from './support/skills';
import { storedSessions, type StoredSession } from './support/stored';

let host: Host;
let skills: SkillFolder;

beforeEach(() => {
	host = new Host(compiledPackage());
	host.restart();
	skills = skillFolder();
	for (const name of ['alpha', 'beta', 'gamma']) skills.write(name);
});

const ofSession = (sessionId: string) => ({ items: [{ sessionId }] });
const namesOf = (session?: StoredSession) => session?.loaded.map(({ name }) => name);

describe.each(AGENT_WAYS)('the loaded skills under %s', (_, agent) => {
	it('are still loaded in the next execution', async () => {
		const flow = picture({ agent, source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], ofSession('one'));
		const next = await say(host, flow, [], ofSession('one'));
		expect(next.system).toContain('**alpha** [Loaded]');
	});

	it('are still loaded after a restart of n8n', async () => {
		const flow = picture({ agent, source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], ofSession('one'));
		host.restart();
		const next = await say(host, flow, [], ofSession('one'));
		expect(next.system).toContain('**alpha** [Loaded]');
	});

	it('hold their slot after a restart of n8n', async () => {
		const loader = { maxLoadedSkills: 1 };
		const flow = picture({ agent, loader, source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], ofSession('one'));
		host.restart();
		const next = await say(host, flow, [[load('beta')]], ofSession('one'));
		expect(next.answers[0]).toContain('Maximum number of simultaneously loaded skills reached (1)');
	});

	it('stay unloaded after a restart once they were unloaded', async () => {
		const flow = picture({ agent, source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], ofSession('one'));
		await say(host, flow, [[unload('alpha')]], ofSession('one'));
		host.restart();
		const next = await say(host, flow, [], ofSession('one'));
		expect(next.system).not.toContain('[Loaded]:');
	});

	it('are those of the session alone', async () => {
		const flow = picture({ agent, source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], ofSession('one'));
		await say(host, flow, [[load('beta')]], ofSession('two'));
		const one = await say(host, flow, [], ofSession('one'));
		const two = await say(host, flow, [], ofSession('two'));
		expect(one.system).toContain('**alpha** [Loaded]');
		expect(one.system).not.toContain('**beta** [Loaded]');
		expect(two.system).toContain('**beta** [Loaded]');
		expect(two.system).not.toContain('**alpha** [Loaded]');
	});

	it('are those of the workflow alone', async () => {
		const flow = picture({ agent, source: folders(skills.path) });
		const other = picture({ agent, source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], ofSession('one'));
		const reply = await say(host, other, [], ofSession('one'));
		expect(reply.system).not.toContain('[Loaded]:');
	});

	it('outlive a run that fails after it loaded them', async () => {
		const flow = picture({ agent, source: folders(skills.path) });
		const crash = () => {
			throw new Error('the model is down');
		};
		const failed = await say(host, flow, [[load('alpha')], crash], ofSession('one'));
		host.restart();
		const next = await say(host, flow, [], ofSession('one'));
		expect(failed.status).toBe('error');
		expect(next.system).toContain('**alpha** [Loaded]');
	});

	it('are shared by all runs when there is no session', async () => {
		const flow = picture({ agent, source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]]);
		const next = await say(host, flow, []);
		expect(next.system).toContain('**alpha** [Loaded]');
	});

	it('end with the execution when each is to have its own', async () => {
		const options = { noSession: 'execution' };
		const flow = picture({
			agent,
			catalog: { options },
			loader: { options },
			source: folders(skills.path),
		});
		const first = await say(host, flow, [[load('alpha')], [load('alpha')]]);
		const next = await say(host, flow, []);
		expect(first.answers[1]).toContain('already loaded');
		expect(next.system).not.toContain('[Loaded]:');
	});
});

describe('sessions', () => {
	it.each(AGENT_WAYS)('come from the Chat Trigger when the item has none: %s', async (_, agent) => {
		const trigger = 'When "chat" {{message}} arrives';
		const flow = picture({ agent, trigger, source: folders(skills.path), catalog: null });
		// An item without the field, as after an Edit Fields node.
		const between = flow.connections[trigger].main[0]?.[0];
		flow.nodes.push({
			id: 'Strip',
			name: 'Strip',
			type: 'test.strip',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		});
		flow.connections[trigger].main[0] = [{ node: 'Strip', type: 'main', index: 0 }];
		flow.connections.Strip = { main: [[{ ...between, node: 'Agent', type: 'main', index: 0 }]] };
		await say(host, flow, [[load('alpha')]], ofSession('chat-7'));
		expect(storedSessions(host, flow).map(({ session }) => session)).toEqual(['session:chat-7']);
	});

	it.each(AGENT_WAYS)('come from the parameter before the item: %s', async (_, agent) => {
		const options = { session: "={{ $('Trigger').item.json.user }}" };
		const flow = picture({ agent, loader: { options }, source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], { items: [{ sessionId: 'item', user: 42 }] });
		expect(storedSessions(host, flow).map(({ session }) => session)).toEqual(['session:42']);
	});

	it('are kept apart item by item under AI Agent 3', async () => {
		const flow = picture({ source: folders(skills.path) });
		const pick = (_: string[], item: { skill?: unknown }) => [load(item.skill as string)];
		const items = [
			{ sessionId: 'one', skill: 'alpha' },
			{ sessionId: 'two', skill: 'beta' },
		];
		const reply = await say(host, flow, [pick as never], { items });
		const [one, two] = storedSessions(host, flow);
		expect(reply.answersOf(1)[0]).toContain('Rule of beta.');
		expect([one.session, namesOf(one)]).toEqual(['session:one', ['alpha']]);
		expect([two.session, namesOf(two)]).toEqual(['session:two', ['beta']]);
	});

	it('are that of the first item under AI Agent 1 and 2, and a hint says so', async () => {
		const flow = picture({ agent: 'agentV2', source: folders(skills.path) });
		const items = [{ sessionId: 'one' }, { sessionId: 'two' }];
		const reply = await say(host, flow, [[load('alpha')]], { items });
		expect(storedSessions(host, flow).map(({ session }) => session)).toEqual(['session:one']);
		const warnings = reply.hints('Loader').filter((hint) => hint.includes('share the session'));
		expect(warnings).toHaveLength(1);
	});
});

describe('a sub-agent', () => {
	const loadAlphaInside = { ...ofSession('one'), subModel: [[load('alpha')]] };
	const askIt = [{ tool: 'ask_sub_agent', args: {} }];

	/** An agent and its sub-agent with the same state name. */
	const oneState = () => {
		const loader = { options: { toolPrefix: 'main_' } };
		return picture({ agent: 'agentV2', loader, subLoader: {}, source: folders(skills.path) });
	};

	it('with a state name of its own does not share what it loads', async () => {
		const subLoader = { options: { stateName: 'researcher' } };
		const flow = picture({ agent: 'agentV2', subLoader, source: folders(skills.path) });
		const first = await say(host, flow, [askIt], loadAlphaInside);
		const next = await say(host, flow, [], ofSession('one'));
		expect(first.answers[0]).toContain('Rule of alpha.');
		expect(next.system).not.toContain('[Loaded]:');
		expect(storedSessions(host, flow)[0].state).toBe('researcher');
	});

	it('with a source of its own keeps the skills of the agent above it, and loses none to it', async () => {
		const own = skillFolder();
		own.write('delta');
		const flow = oneState();
		const source = flow.nodes.find(({ name }) => name === 'Source') as INode;
		const parameters = folders(own.path) as INodeParameters;
		flow.nodes.push({ ...source, id: 'SubSource', name: 'SubSource', parameters });
		const users = flow.connections.Source.ai_document[0] ?? [];
		flow.connections.Source.ai_document[0] = users.filter(({ node }) => node !== 'SubLoader');
		flow.connections.SubSource = {
			ai_document: [[{ node: 'SubLoader', type: 'ai_document', index: 0 }]],
		};
		const loadAlpha = [{ tool: 'main_load_skill', args: { skill_name: 'alpha' } }];
		const inside = { ...ofSession('one'), subModel: [[load('delta')]] };
		await say(host, flow, [loadAlpha, askIt], inside);
		const next = await say(host, flow, [], ofSession('one'));
		expect(next.system).toContain('**alpha** [Loaded]');
		expect(next.system).not.toMatch(/delta/);
		expect(namesOf(storedSessions(host, flow)[0])?.sort()).toEqual(['alpha', 'delta']);
		// Once the node is gone, so is what came from it.
		flow.nodes.pop();
		delete flow.connections.SubSource;
		flow.connections.Source.ai_document[0] = users;
		const later = await say(host, flow, [], ofSession('one'));
		expect(later.system).toContain("'delta' was removed");
	});

	it('with the same state name shares what it loads', async () => {
		const flow = oneState();
		await say(host, flow, [askIt], loadAlphaInside);
		const next = await say(host, flow, [], ofSession('one'));
		expect(next.system).toContain('**alpha** [Loaded]');
	});
});

describe('executions at the same time', () => {
	/** Gives back a turn that waits until all of them have come to it. */
	function barrier(parties: number): () => Promise<never[]> {
		let arrived = 0;
		let open: () => void;
		const gate = new Promise<void>((resolve) => {
			open = resolve;
		});
		return async () => {
			if (++arrived === parties) open();
			await gate;
			return [];
		};
	}

	it('lose nothing of each other, whichever is saved last', async () => {
		const flow = picture({ source: folders(skills.path) });
		const meet = barrier(2);
		const part = barrier(2);
		await Promise.all([
			say(host, flow, [meet, [load('alpha')], part], ofSession('one')),
			say(host, flow, [meet, [load('beta')], part], ofSession('two')),
		]);
		host.restart();
		const one = await say(host, flow, [], ofSession('one'));
		const two = await say(host, flow, [], ofSession('two'));
		expect(one.system).toContain('**alpha** [Loaded]');
		expect(two.system).toContain('**beta** [Loaded]');
	});

	it('of one session both count', async () => {
		const flow = picture({ source: folders(skills.path) });
		const meet = barrier(2);
		await Promise.all([
			say(host, flow, [meet, [load('alpha')]], ofSession('one')),
			say(host, flow, [meet, [load('beta')]], ofSession('one')),
		]);
		expect(namesOf(storedSessions(host, flow)[0])?.sort()).toEqual(['alpha', 'beta']);
	});

	it('lose none of fifty sessions', async () => {
		const flow = picture({ agent: 'agentV2', source: folders(skills.path) });
		const meet = barrier(50);
		const sessions = Array.from({ length: 50 }, (_, index) => `user-${index}`);
		await Promise.all(
			sessions.map((name) => say(host, flow, [meet, [load('alpha')]], ofSession(name))),
		);
		const stored = storedSessions(host, flow).map(({ session }) => session);
		expect(stored.sort()).toEqual(sessions.map((name) => `session:${name}`).sort());
	});

	it('write the whole state back when another node of theirs has static data saved', async () => {
		const flow = picture({ other: true, source: folders(skills.path) });
		const started = barrier(2);
		const late = say(host, flow, [started], ofSession('two'));
		await say(host, flow, [started, [load('alpha')]], ofSession('one'));
		await late;
		expect(storedSessions(host, flow).map(namesOf)).toContainEqual(['alpha']);
	});
});

describe('static data that n8n wrote back in an older state', () => {
	it('does not undo what the process knows', async () => {
		const flow = picture({ source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], ofSession('one'));
		const older = host.staticData(flow);
		await say(host, flow, [[load('beta')]], ofSession('one'));
		host.writeStaticData(flow, older);
		const next = await say(host, flow, [], ofSession('one'));
		expect(next.system).toContain('**beta** [Loaded]');
	});

	it('is brought up to date by the next run, so that a restart loses nothing', async () => {
		const flow = picture({ source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], ofSession('one'));
		host.writeStaticData(flow, {});
		await say(host, flow, [], ofSession('two'));
		host.restart();
		const next = await say(host, flow, [], ofSession('one'));
		expect(next.system).toContain('**alpha** [Loaded]');
	});
});

describe('a manual run', () => {
	const manual = (sessionId: string) => ({ ...ofSession(sessionId), mode: 'manual' as const });

	it('keeps its state while the process lives', async () => {
		const flow = picture({ source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], manual('one'));
		const next = await say(host, flow, [], manual('one'));
		expect(next.system).toContain('**alpha** [Loaded]');
	});

	it('never writes static data, not even through a production run', async () => {
		const flow = picture({ source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], manual('one'));
		expect(host.staticData(flow)).toEqual({});
		await say(host, flow, [[load('beta')]], ofSession('one'));
		expect(storedSessions(host, flow).map(namesOf)).toEqual([['beta']]);
	});

	it('is not seen by production, nor sees it', async () => {
		const flow = picture({ source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], manual('one'));
		await say(host, flow, [[load('beta')]], ofSession('one'));
		const tried = await say(host, flow, [], manual('one'));
		expect(tried.system).toContain('**alpha** [Loaded]');
		expect(tried.system).not.toContain('**beta** [Loaded]');
	});

	it('keeps a sub-workflow that it calls away from production', async () => {
		const flow = picture({ source: folders(skills.path) });
		const called = { ...ofSession('one'), mode: 'integrated', rootMode: 'manual' } as const;
		await say(host, flow, [[load('alpha')]], called);
		expect(host.staticData(flow)).toEqual({});
		const production = await say(host, flow, [], { ...ofSession('one'), mode: 'integrated' });
		expect(production.system).not.toContain('[Loaded]:');
		expect((await say(host, flow, [], manual('one'))).system).toContain('**alpha** [Loaded]');
	});

	it('of a workflow that was never saved starts from nothing', async () => {
		const flow = { ...picture({ source: folders(skills.path) }), id: '' };
		await say(host, flow, [[load('alpha')]], manual('one'));
		const other = await say(host, flow, [], manual('one'));
		expect(other.system).not.toContain('[Loaded]:');
	});
});

it.each(['trigger', 'webhook', 'retry', 'integrated', 'error', 'chat'] as const)(
	'a run in mode "%s" shares the state of production',
	async (mode) => {
		const flow = picture({ source: folders(skills.path) });
		await say(host, flow, [[load('alpha')]], { ...ofSession('one'), mode });
		const next = await say(host, flow, [], ofSession('one'));
		expect(next.system).toContain('**alpha** [Loaded]');
	},
);

describe('stored state of an older or damaged kind', () => {
	const good = {
		state: 'skills',
		session: 'session:one',
		touched: Date.now(),
		loaded: [{ name: 'alpha', hash: 'x', at: 1, execution: '0', resources: [] }],
	};
	const repaired = /stored list of loaded skills was damaged/;

	it.each([
		['text', 'nonsense'],
		['a list', [1, 2]],
		['no sessions', { version: 1 }],
		['sessions of another shape', { version: 1, sessions: [null, 7, { loaded: 'x' }] }],
	])('%s counts as not loaded, with a hint', async (_, agentSkills) => {
		const flow = picture({ source: folders(skills.path) });
		host.writeStaticData(flow, { global: { agentSkills } });
		const reply = await say(host, flow, [[load('alpha')]], ofSession('one'));
		expect(reply.status).toBe('success');
		expect(reply.answers[0]).toContain('Rule of alpha.');
		expect(reply.hints('Catalog').filter((hint) => repaired.test(hint))).toHaveLength(1);
	});

	it('keeps every skill of it that can be read', async () => {
		const flow = picture({ source: folders(skills.path) });
		const session = { ...good, loaded: [...good.loaded, { name: 5 }] };
		host.writeStaticData(flow, { global: { agentSkills: { version: 0, sessions: [session] } } });
		const reply = await say(host, flow, [], ofSession('one'));
		expect(reply.system).toContain('**alpha** [Loaded]');
		expect(reply.hints('Catalog').join(' ')).toMatch(repaired);
	});

	it.each(AGENT_WAYS)('is told without a catalog too: %s', async (_, agent) => {
		const flow = picture({ agent, catalog: null, source: folders(skills.path) });
		host.writeStaticData(flow, { global: { agentSkills: 'nonsense' } });
		const reply = await say(host, flow, [[load('alpha')], [load('beta')]], ofSession('one'));
		expect(reply.hints('Loader').filter((hint) => repaired.test(hint))).toHaveLength(1);
	});

	it('leaves the static data of other nodes alone', async () => {
		const flow = picture({ source: folders(skills.path) });
		host.writeStaticData(flow, { global: { agentSkills: 7, mine: 1 }, 'node:X': { since: 2 } });
		await say(host, flow, [[load('alpha')]], ofSession('one'));
		expect(host.staticData(flow)).toMatchObject({ global: { mine: 1 }, 'node:X': { since: 2 } });
	});
});

describe('what static data holds', () => {
	it('is names, hashes and files, never instructions or descriptions', async () => {
		skills.write('alpha', 'SECRET-BODY', { 'scripts/run.js': 'SECRET-SCRIPT' });
		const flow = picture({ source: folders(skills.path) });
		const { id } = await say(host, flow, [[load('alpha')]], ofSession('one'));
		const [{ loaded }] = storedSessions(host, flow);
		expect(JSON.stringify(host.staticData(flow))).not.toMatch(/SECRET|Does alpha/);
		expect(loaded[0]).toEqual({
			name: 'alpha',
			hash: expect.stringMatching(/^[0-9a-f]{32}$/),
			at: expect.any(Number),
			// The execution, and the run and item of the agent that got the text.
			execution: `${id}/["Agent",0,0]`,
			resources: [{ type: 'script', path: 'scripts/run.js' }],
			// A short hash of the node's id.
			source: expect.stringMatching(/^[\w-]{16}$/),
		});
	});

	it('stays under 100 KB with 2,000 sessions, and the newest are kept', async () => {
		const flow = picture({ catalog: null, source: folders(skills.path) });
		const items = Array.from({ length: 2000 }, (_, index) => ({ sessionId: `user-${index}` }));
		await say(host, flow, [[load('alpha')]], { items });
		const stored = storedSessions(host, flow).map(({ session }) => session);
		expect(JSON.stringify(host.staticData(flow)).length).toBeLessThan(100_000);
		expect(stored).toContain('session:user-1999');
		expect(stored).not.toContain('session:user-0');
	}, 60_000);
});
