import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { picture } from '../engine/support/picture';
import { executeContext, hintsOf, host } from './support/contexts';

import type { LoadedSkill } from '../../nodes/core/schema';
import { clearLiveState, openStore, showRepairs, STATIC_DATA_KEY } from '../../nodes/shared/state';

const scope = { state: 'skills', session: 'session:one' };
const skill = (name: string, execution = 'exec-1'): LoadedSkill => ({
	name,
	hash: 'h',
	at: 1,
	execution,
	resources: [],
});

beforeEach(() => clearLiveState());

const contextOf = (
	flow = picture(),
	mode: 'webhook' | 'manual' | 'trigger' = 'webhook',
	executionId = '1',
) => executeContext(flow, { node: 'Catalog', mode, executionId });
const storedIn = (context: ReturnType<typeof contextOf>) =>
	context.getWorkflowStaticData('global')[STATIC_DATA_KEY] as
		| { sessions: Array<{ loaded: LoadedSkill[] }> }
		| undefined;

describe('openStore', () => {
	it('writes every change to the static data of the execution', async () => {
		const context = contextOf();
		await openStore(context, scope).record(skill('alpha'), 10);
		expect(storedIn(context)).toEqual({
			version: 1,
			sessions: [{ ...scope, touched: expect.any(Number), loaded: [skill('alpha')] }],
		});
	});

	it('writes nothing while nothing changes', async () => {
		const context = contextOf();
		expect(await openStore(context, scope).read()).toEqual([]);
		expect(storedIn(context)).toBeUndefined();
	});

	it('writes to every execution that is under way', async () => {
		const flow = picture();
		const [one, two] = [contextOf(flow), contextOf(flow)];
		openStore(one, scope);
		await openStore(two, scope).record(skill('alpha'), 10);
		expect(storedIn(one)?.sessions[0].loaded).toEqual([skill('alpha')]);
	});

	it('writes in a run that a poll started, as the poll saves an older copy meanwhile', async () => {
		const flow = picture();
		const first = contextOf(flow);
		await openStore(first, scope).record(skill('alpha'), 10);
		const stored = { global: { [STATIC_DATA_KEY]: structuredClone(storedIn(first)) } };
		const isChanged = (mode: 'webhook' | 'trigger') => {
			host.writeStaticData(flow, stored);
			const context = contextOf(flow, mode);
			const data = context.getWorkflowStaticData('global');
			const before = data[STATIC_DATA_KEY];
			openStore(context, scope);
			return data[STATIC_DATA_KEY] !== before;
		};
		expect([isChanged('webhook'), isChanged('trigger')]).toEqual([false, true]);
	});

	it('takes over what static data has, at first sight', async () => {
		const flow = picture();
		const session = { ...scope, touched: Date.now(), loaded: [skill('alpha')] };
		const stored = { version: 1, sessions: [session] };
		host.writeStaticData(flow, { global: { [STATIC_DATA_KEY]: stored } });
		expect(await openStore(contextOf(flow), scope).read()).toEqual([skill('alpha')]);
	});

	it('stores plain data, no proxy of n8n and nothing shared with the live state', async () => {
		const context = contextOf();
		const store = openStore(context, scope);
		await store.record(skill('alpha'), 10);
		const before = structuredClone(storedIn(context));
		storedIn(context)?.sessions[0].loaded.pop();
		expect(before?.sessions[0].loaded).toHaveLength(1);
		expect(await store.read()).toHaveLength(1);
	});

	it('does not touch static data in a manual run, but keeps the state', async () => {
		const flow = picture();
		const context = contextOf(flow, 'manual');
		const read = jest.spyOn(context, 'getWorkflowStaticData');
		await openStore(context, scope).record(skill('alpha'), 10);
		expect(read).not.toHaveBeenCalled();
		expect(await openStore(contextOf(flow, 'manual'), scope).read()).toHaveLength(1);
		expect(await openStore(contextOf(flow), scope).read()).toEqual([]);
	});

	it.each(['', undefined])('keeps unsaved workflows apart (id %j)', async (id) => {
		const flow = { ...picture(), id };
		await openStore(contextOf(flow, 'manual', '1'), scope).record(skill('alpha'), 10);
		expect(await openStore(contextOf(flow, 'manual', '2'), scope).read()).toEqual([]);
	});

	it('keeps no finished execution in memory', async () => {
		setFlagsFromString('--expose_gc');
		const collect = runInNewContext('gc') as () => void;
		const flow = picture();
		const data = await (async () => {
			const context = contextOf(flow);
			await openStore(context, scope).record(skill('alpha'), 10);
			return new WeakRef(context.getWorkflowStaticData('global'));
		})();
		for (let round = 0; round < 20 && data.deref(); round++) {
			await new Promise((resolve) => setTimeout(resolve, 5));
			collect();
		}
		expect(data.deref()).toBeUndefined();
		const next = contextOf(flow);
		await openStore(next, scope).record(skill('beta'), 10);
		expect(storedIn(next)?.sessions[0].loaded).toHaveLength(2);
	});
});

describe('showRepairs', () => {
	const damaged = () => {
		const flow = picture();
		host.writeStaticData(flow, { global: { [STATIC_DATA_KEY]: 'nonsense' } });
		return flow;
	};

	it('tells once that stored state was repaired', () => {
		const flow = damaged();
		const context = contextOf(flow);
		openStore(context, scope);
		showRepairs(context);
		showRepairs(context);
		expect(hintsOf(context)).toEqual([expect.stringContaining('was damaged')]);
	});

	it('says nothing of state that was whole', () => {
		const context = contextOf();
		openStore(context, scope);
		showRepairs(context);
		expect(hintsOf(context)).toEqual([]);
	});
});
