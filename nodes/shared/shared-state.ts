import type { LoadedStore, Scope } from '../core/loaded';
import { messageOf } from '../core/errors';
import { SharedLog } from '../core/shared-log';
import { createSharedStore } from '../core/shared-store';
import { openChatLog } from './chat-log';
import type { NodeContext } from './context';
import { executionId, noteWarning, placeOf, sharedMemory, takeWarnings } from './executions';
import { addHint } from './hints';
import { connectedMemory, type ConnectedMemory } from './memory-input';
import { isQueueMode } from './queue';
import { openStore, showRepairs } from './state';

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

function openShared(
	context: NodeContext,
	itemIndex: number,
	scope: Scope,
	{ name }: ConnectedMemory,
): LoadedStore {
	const own = ownScope(context, scope);
	const log = new SharedLog(openChatLog(context, itemIndex));
	const key = JSON.stringify([name, own.state, own.session]);
	return createSharedStore(log, own, sharedMemory(context, key), (error) => {
		const message = `Shared State "${name}" cannot be used now (${reasonOf(error)}): what is loaded in this run is not kept.`;
		context.logger.warn(message);
		noteWarning(context, message);
	});
}

/** One key of a memory may serve several workflows, and what a person tries is not production's. */
function ownScope(context: NodeContext, { state, session }: Scope): Scope {
	const kind = context.getMode() === 'manual' ? 'manual' : 'production';
	const workflow = context.getWorkflow().id || `execution:${executionId(context)}`;
	return { state: `${kind}:${workflow}:${state}`, session };
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
