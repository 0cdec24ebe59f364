import type { IDataObject } from 'n8n-workflow';

import { diagnostic } from '../core/errors';
import { COPIES_BETWEEN_SWEEPS, MAX_LIVE_WORKFLOWS } from '../core/limits';
import {
	createLoadedStore,
	mergeSessions,
	parseState,
	serializeState,
	type LoadedStore,
	type Scope,
	type Sessions,
} from '../core/loaded';
import { LruMap } from '../core/lru';
import type { NodeContext } from './context';
import { executionId } from './executions';
import { addHint } from './hints';
import { isQueueMode } from './queue';
import { isTestRun } from './trial';

/** Our one key in the workflow's global static data. */
export const STATIC_DATA_KEY = 'agentSkills';

/**
 * The loaded state of one workflow. While the process lives this is the truth, static data its
 * copy: n8n writes back older copies of static data, and runs overwrite each other's.
 */
interface LiveWorkflow {
	sessions: Sessions;
	/** Static data of the executions that may still be saved; weak, so that none is kept alive. */
	copies: Set<WeakRef<IDataObject>>;
	known: WeakSet<IDataObject>;
	/** What was last written, as JSON. */
	saved?: string;
	/** Stored state was damaged, and nobody was told yet. */
	repaired: boolean;
}

const workflows = new LruMap<string, LiveWorkflow>(MAX_LIVE_WORKFLOWS);

/** Forgets all live state, as a restart of n8n does. */
export function clearLiveState(): void {
	workflows.clear();
}

/**
 * Gives back the loaded skills of one scope; the one place that touches static data. In queue mode
 * that does not travel between the processes, so there the state is the execution's own.
 */
export function openStore(context: NodeContext, scope: Scope): LoadedStore {
	const live = liveWorkflow(context);
	// A manual run saves nothing, and what a person tries must stay out of production's state.
	if (!isTestRun(context) && !isQueueMode()) attach(context, live);
	return createLoadedStore(live.sessions, scope, () => save(live));
}

/** Tells the person, once, that stored state was repaired; call it where a hint is kept. */
export function showRepairs(context: NodeContext): void {
	const live = liveWorkflow(context);
	if (live.repaired) addHint(context, REPAIRED, 'warning');
	live.repaired = false;
}

const { message: REPAIRED } = diagnostic(
	'state-repaired',
	'The stored list of loaded skills was damaged or of another version; what could not be read counts as not loaded.',
);

function liveWorkflow(context: NodeContext): LiveWorkflow {
	const own = `execution:${executionId(context)}`;
	// What one process knows, another may have changed: nothing must falsely count as loaded.
	const id = isQueueMode() ? own : context.getWorkflow().id || own;
	const key = `${isTestRun(context) ? 'manual' : 'production'}:${id}`;
	return workflows.getOrCreate(key, () => ({
		sessions: new Map(),
		copies: new Set(),
		known: new WeakSet(),
		repaired: false,
	}));
}

function attach(context: NodeContext, live: LiveWorkflow): void {
	const data = context.getWorkflowStaticData('global');
	if (live.known.has(data)) return;
	live.known.add(data);
	live.copies.add(new WeakRef(data));
	if (live.copies.size % COPIES_BETWEEN_SWEEPS === 0) living(live);
	// By JSON, because n8n's proxy is slow to read and cannot be cloned; mostly it is our own text.
	const text = JSON.stringify(data[STATIC_DATA_KEY]) as string | undefined;
	// A poll saves its own older copy at any moment of the run that it starts, so that run saves too.
	const isPolled = context.getMode() === 'trigger' && live.sessions.size > 0;
	if (text === live.saved) return isPolled ? save(live) : undefined;
	const { sessions, dropped } = parseState(text === undefined ? undefined : JSON.parse(text));
	mergeSessions(live.sessions, sessions);
	if (dropped > 0) {
		live.repaired = true;
		context.logger.warn(REPAIRED);
	}
	// n8n wrote back an older copy: this execution may be saved for another node's sake.
	if (isPolled || isBehind(sessions, live.sessions)) save(live);
}

function isBehind(stored: Sessions, live: Sessions): boolean {
	return [...live].some(([key, { touched }]) => (stored.get(key)?.touched ?? 0) < touched);
}

/** Writes the state to every execution under way, so that whichever is saved last has it all. */
function save(live: LiveWorkflow): void {
	const stored = serializeState(live.sessions, Date.now());
	live.saved = JSON.stringify(stored);
	for (const data of living(live)) data[STATIC_DATA_KEY] = stored as unknown as IDataObject;
}

/** Gives back the static data of executions that may still be saved, and forgets the others. */
function living({ copies }: LiveWorkflow): IDataObject[] {
	return [...copies].flatMap((copy) => {
		const data = copy.deref();
		if (data === undefined) copies.delete(copy);
		return data === undefined ? [] : [data];
	});
}
