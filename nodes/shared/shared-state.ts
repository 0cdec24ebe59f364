import type { LoadedStore, Scope } from '../core/loaded';
import { messageOf } from '../core/errors';
import { MAX_LOG_ENTRIES, MAX_REMEMBERED_STORES, SHARED_STATE_PAUSE_MS } from '../core/limits';
import { LruMap } from '../core/lru';
import { SharedLog, systemClock } from '../core/shared-log';
import { createSharedStore } from '../core/shared-store';
import { openChatLog } from './chat-log';
import type { NodeContext } from './context';
import { executionId, noteWarning, placeOf, sharedMemory, takeWarnings } from './executions';
import { addHint } from './hints';
import { connectedMemory, type ConnectedMemory } from './memory-input';
import { isQueueMode } from './queue';
import { isOfExecution } from './session';
import { openStore, showRepairs } from './state';
import { isTestRun } from './trial';

const ANEW = 'n8n runs in queue mode, so skills are loaded anew in every execution.';
const ATTACH =
	'To keep them for the conversation, connect a memory node of its own (Postgres Chat Memory, Redis Chat Memory) to "Shared State" of both Skill Catalog Prompt and Skill Loader Tool.';

/** Gives back the loaded skills of one scope: from "Shared State" where a memory is connected. */
export function openLoadedStore(
	context: NodeContext,
	itemIndex: number,
	scope: Scope,
): LoadedStore {
	const memory = connectedMemory(context);
	// No other execution will ask for it.
	if (isOfExecution(scope)) return openStore(context, scope);
	const isShared = memory !== undefined && !(memory.inProcess && isQueueMode());
	if (isQueueMode() && !memory) noteWarning(context, `${ANEW} ${ATTACH}`);
	if (isQueueMode() && memory?.inProcess) {
		const why = `"${memory.name}" lives in one process and is not used as Shared State.`;
		noteWarning(context, `${ANEW} ${why} ${ATTACH}`);
	}
	warnOfTwoPlaces(context, scope, memory?.name ?? '');
	return isShared ? openShared(context, itemIndex, scope, memory) : openStore(context, scope);
}

/** Tells the person what concerns the state; call it where a hint is kept. */
export function showStateHints(context: NodeContext): void {
	showRepairs(context);
	for (const message of takeWarnings(context)) addHint(context, message, 'warning');
}

/** Memory nodes that were slow to fail in this process, and until when they are left alone. */
const paused = new LruMap<string, number>(MAX_REMEMBERED_STORES);

function openShared(
	context: NodeContext,
	itemIndex: number,
	scope: Scope,
	{ name }: ConnectedMemory,
): LoadedStore {
	const own = ownScope(context, scope);
	const memory = sharedMemory(context, name, own);
	const node = JSON.stringify([workflowId(context), name]);
	// Each execution would wait for it again, and so would each request of an MCP client.
	if ((paused.get(node) ?? 0) > Date.now()) memory.place.isDown = true;
	const warn = (problem: string) => {
		const message = `Shared State "${name}" ${problem}`;
		context.logger.warn(message);
		noteWarning(context, message);
	};
	const chat = openChatLog(context, itemIndex, memory.place);
	const log = new SharedLog(chat, systemClock, MAX_LOG_ENTRIES, warn);
	return createSharedStore(log, own, memory, (error, isSlow) => {
		if (isSlow) paused.set(node, Date.now() + SHARED_STATE_PAUSE_MS);
		warn(`cannot be used now (${reasonOf(error)}): what is loaded in this run is not kept.`);
	});
}

/** One key of a memory may serve several workflows, and what a person tries is not production's. */
function ownScope(context: NodeContext, { state, session }: Scope): Scope {
	const kind = isTestRun(context) ? 'manual' : 'production';
	return { state: `${kind}:${workflowId(context)}:${state}`, session };
}

function workflowId(context: NodeContext): string {
	return context.getWorkflow().id || `execution:${executionId(context)}`;
}

function warnOfTwoPlaces(context: NodeContext, scope: Scope, place: string): void {
	if (placeOf(context, scope, place) === place) return;
	noteWarning(
		context,
		'Skill Catalog Prompt and Skill Loader Tool keep the loaded skills in different places. Connect the same memory node to "Shared State" of both, or to none.',
	);
}

/** Some drivers have no message but a code, and n8n puts the reason of a sub-node below it. */
function reasonOf(error: unknown): string {
	const { description, code } = error as { description?: string | null; code?: string };
	return description || messageOf(error) || code || 'no reason given';
}
