import { EXECUTION_SNAPSHOT_MS, MAX_REMEMBERED_EXECUTIONS } from '../core/limits';
import { LruMap } from '../core/lru';
import { scopeKey, type Scope } from '../core/loaded';
import {
	newSharedMemory,
	newSharedPlace,
	type SharedMemory,
	type SharedPlace,
} from '../core/shared-store';
import type { Refreshed, RefreshMemory } from '../core/skillset';
import type { NodeContext } from './context';

/** What was already said or done in one execution; lives in the process only. */
interface ExecutionNotes {
	said: Set<string>;
	refreshed: Map<string, { refreshed: Refreshed; at: number }>;
	seen: WeakSet<object>;
	given: Map<string, Set<string>>;
	/** What the person must be told as soon as a hint is kept. */
	warnings: string[];
	/** Shared state by its memory node and scope. */
	shared: Map<string, SharedMemory>;
	/** The stores behind it by their memory node. */
	stores: Map<string, SharedPlace>;
	/** Where the loaded skills of a scope are kept. */
	places: Map<string, string>;
}

const notes = new LruMap<string, ExecutionNotes>(MAX_REMEMBERED_EXECUTIONS);

/** Of contexts whose execution has no id, as when an MCP client asks n8n's main process for tools. */
const unnamed = new WeakMap<NodeContext, ExecutionNotes>();

function notesOf(context: NodeContext, id = executionId(context)): ExecutionNotes {
	if (id !== '') return notes.getOrCreate(id, newNotes);
	const own = unnamed.get(context) ?? newNotes();
	unnamed.set(context, own);
	return own;
}

function newNotes(): ExecutionNotes {
	return {
		said: new Set(),
		refreshed: new Map(),
		seen: new WeakSet(),
		given: new Map(),
		warnings: [],
		shared: new Map(),
		stores: new Map(),
		places: new Map(),
	};
}

/** Gives back the texts that one conversation of this execution has got. */
export function textsGiven(context: NodeContext, conversation: string): Set<string> {
	const { given } = notesOf(context);
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
	const { refreshed: kept } = notesOf(context, id);
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
	const { said } = notesOf(context, id);
	if (said.has(what)) return false;
	said.add(what);
	return true;
}

/** Tells whether this very object is met for the first time in this execution. */
export function isFirstLook(context: NodeContext, what: object): boolean {
	const id = executionId(context);
	if (id === '') return true;
	const { seen } = notesOf(context, id);
	if (seen.has(what)) return false;
	seen.add(what);
	return true;
}

/** Notes a warning, once in this execution, for the next `takeWarnings`. */
export function noteWarning(context: NodeContext, message: string): void {
	const { warnings } = notesOf(context);
	const isNew = isFirstTime(context, `warning:${message}`) && !warnings.includes(message);
	if (isNew) warnings.push(message);
}

/** Gives back the warnings that nobody was shown yet; call it where a hint is kept. */
export function takeWarnings(context: NodeContext): string[] {
	return notesOf(context).warnings.splice(0);
}

/** Gives back what this execution remembers of a shared state: of a memory node, for a scope. */
export function sharedMemory(context: NodeContext, node: string, scope: Scope): SharedMemory {
	const { shared } = notesOf(context);
	const key = JSON.stringify([node, scopeKey(scope)]);
	const memory = shared.get(key) ?? newSharedMemory(sharedPlace(context, node));
	shared.set(key, memory);
	return memory;
}

function sharedPlace(context: NodeContext, node: string): SharedPlace {
	const { stores } = notesOf(context);
	const place = stores.get(node) ?? newSharedPlace();
	stores.set(node, place);
	return place;
}

/** Gives back where the loaded skills of a scope are kept, by the first node that said so. */
export function placeOf(context: NodeContext, scope: Scope, place: string): string {
	const id = executionId(context);
	if (id === '') return place;
	const { places } = notesOf(context, id);
	const first = places.get(scopeKey(scope)) ?? place;
	places.set(scopeKey(scope), first);
	return first;
}

/** Notes that a catalog was written for a scope in this execution. */
export function noteCatalog(context: NodeContext, scope: Scope): void {
	isFirstTime(context, `catalog:${scopeKey(scope)}`);
}

/** Tells whether a catalog was written for a scope in this execution. */
export function hasCatalog(context: NodeContext, scope: Scope): boolean {
	const id = executionId(context);
	if (id === '') return false;
	const { said } = notesOf(context, id);
	return said.has(`catalog:${scopeKey(scope)}`);
}
