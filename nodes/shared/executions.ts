import { EXECUTION_SNAPSHOT_MS, MAX_REMEMBERED_EXECUTIONS } from '../core/limits';
import { LruMap } from '../core/lru';
import { scopeKey, type Scope } from '../core/loaded';
import type { Refreshed, RefreshMemory } from '../core/skillset';
import type { NodeContext } from './context';

/** What was already said or done in one execution; lives in the process only. */
interface ExecutionNotes {
	said: Set<string>;
	refreshed: Map<string, { refreshed: Refreshed; at: number }>;
	seen: WeakSet<object>;
	given: Map<string, Set<string>>;
}

const notes = new LruMap<string, ExecutionNotes>(MAX_REMEMBERED_EXECUTIONS);

function notesOf(id: string): ExecutionNotes {
	return notes.getOrCreate(id, () => ({
		said: new Set(),
		refreshed: new Map(),
		seen: new WeakSet(),
		given: new Map(),
	}));
}

/** Gives back the texts that one conversation of this execution has got. */
export function textsGiven(context: NodeContext, conversation: string): Set<string> {
	const { given } = notesOf(executionId(context));
	const texts = given.get(conversation) ?? new Set();
	given.set(conversation, texts);
	return texts;
}

/**
 * Gives back a memory for the skills of one Skills Source in this execution: n8n makes its sub-nodes
 * anew for each tool call, several times, and they need not all look at the disk.
 */
export function refreshMemory(context: NodeContext, key: string): RefreshMemory | undefined {
	const id = executionId(context);
	if (id === '') return undefined;
	const { refreshed: kept } = notesOf(id);
	return {
		recall() {
			const known = kept.get(key);
			return known && Date.now() - known.at < EXECUTION_SNAPSHOT_MS ? known.refreshed : undefined;
		},
		keep: (refreshed) => kept.set(key, { refreshed, at: Date.now() }),
	};
}

/** Gives back the id of the execution; empty when n8n gave it none. */
export function executionId(context: NodeContext): string {
	return context.getExecutionId() ?? '';
}

/** Tells whether this is the first time in this execution, and remembers it. */
export function isFirstTime(context: NodeContext, what: string): boolean {
	const id = executionId(context);
	if (id === '') return true;
	const { said } = notesOf(id);
	if (said.has(what)) return false;
	said.add(what);
	return true;
}

/** Tells whether this very object is met for the first time in this execution. */
export function isFirstLook(context: NodeContext, what: object): boolean {
	const id = executionId(context);
	if (id === '') return true;
	const { seen } = notesOf(id);
	if (seen.has(what)) return false;
	seen.add(what);
	return true;
}

/** Notes that a catalog was written for a scope in this execution. */
export function noteCatalog(context: NodeContext, scope: Scope): void {
	isFirstTime(context, `catalog:${scopeKey(scope)}`);
}

/** Tells whether a catalog was written for a scope in this execution. */
export function hasCatalog(context: NodeContext, scope: Scope): boolean {
	const id = executionId(context);
	if (id === '') return false;
	const { said } = notesOf(id);
	return said.has(`catalog:${scopeKey(scope)}`);
}
