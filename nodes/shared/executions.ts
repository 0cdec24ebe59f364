import { MAX_REMEMBERED_EXECUTIONS } from '../core/limits';
import { LruMap } from '../core/lru';
import { scopeKey, type Scope } from '../core/loaded';
import type { NodeContext } from './context';

/** What was already said or done in one execution; lives in the process only. */
interface ExecutionNotes {
	said: Set<string>;
}

const notes = new LruMap<string, ExecutionNotes>(MAX_REMEMBERED_EXECUTIONS);

/** Gives back the id of the execution; empty when n8n gave it none. */
export function executionId(context: NodeContext): string {
	return context.getExecutionId() ?? '';
}

/** Tells whether this is the first time in this execution, and remembers it. */
export function isFirstTime(context: NodeContext, what: string): boolean {
	const id = executionId(context);
	if (id === '') return true;
	const { said } = notes.getOrCreate(id, () => ({ said: new Set() }));
	if (said.has(what)) return false;
	said.add(what);
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
	const { said } = notes.getOrCreate(id, () => ({ said: new Set() }));
	return said.has(`catalog:${scopeKey(scope)}`);
}
