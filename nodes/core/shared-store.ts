import type { Scope, LoadedStore, Recorded, Sessions } from './loaded';
import { createLoadedStore, isSameDelivery, scopeKey, takeSlot } from './loaded';
import { EXECUTION_SNAPSHOT_MS, SESSION_TOUCH_MS } from './limits';
import type { LoadedSkill } from './schema';
import { ForeignLogError, type NewEntry, type SharedLog } from './shared-log';

/** What one execution remembers of a shared state; the log itself is asked no more than needed. */
export interface SharedMemory {
	/** What the log said last, and when. */
	seen?: { sessions: Sessions; at: number };
	/** Skills whose text the model got in this execution: nobody else needs to know that. */
	delivered: Map<string, LoadedSkill>;
	/** The log failed, and is not asked again in this execution. */
	isDown: boolean;
	/** What stands in for the log from then on. */
	local: Sessions;
}

/** Gives back the memory of a new execution. */
export function newSharedMemory(): SharedMemory {
	return { delivered: new Map(), isDown: false, local: new Map() };
}

/**
 * Gives back the store of one scope over a log that several processes share. When the log cannot
 * be used, the execution goes on with what it knows, and tells through `onDown`.
 */
export function createSharedStore(
	log: SharedLog,
	scope: Scope,
	memory: SharedMemory,
	onDown: (error: unknown) => void,
	now: () => number = Date.now,
): LoadedStore {
	const shared = new SharedStore(log, scope, memory, now);
	const local = createLoadedStore(memory.local, scope, () => undefined, now);
	const either = async <T>(use: (store: LoadedStore) => Promise<T>): Promise<T> => {
		if (memory.isDown) return await use(local);
		try {
			return await use(shared);
		} catch (error) {
			if (error instanceof ForeignLogError) throw error;
			// Two calls of one turn may fail at the same time; the first one tells.
			if (!memory.isDown) {
				memory.isDown = true;
				memory.local.set(scopeKey(scope), { ...scope, touched: now(), loaded: shared.known() });
				onDown(error);
			}
			return await use(local);
		}
	};
	return {
		read: async () => await either(async (store) => await store.read()),
		record: async (skill, max) => await either(async (store) => await store.record(skill, max)),
		forget: async (name) => await either(async (store) => await store.forget(name)),
	};
}

class SharedStore implements LoadedStore {
	constructor(
		private readonly log: SharedLog,
		private readonly scope: Scope,
		private readonly memory: SharedMemory,
		private readonly now: () => number,
	) {}

	async read(): Promise<LoadedSkill[]> {
		const { seen } = this.memory;
		if (!seen || this.now() - seen.at > EXECUTION_SNAPSHOT_MS) await this.look();
		return this.known();
	}

	async record(skill: LoadedSkill, maxLoaded: number): Promise<Recorded> {
		let taken = takeSlot(await this.read(), skill, maxLoaded);
		if (taken.outcome === 'full') {
			await this.look();
			taken = takeSlot(this.known(), skill, maxLoaded);
		}
		if (taken.outcome === 'already' || taken.outcome === 'full') return taken;
		const { delivered } = this.memory;
		if (!this.needsEntry(skill)) {
			delivered.set(skill.name, skill);
			return taken;
		}
		await this.add({ op: 'record', ...this.scope, skill, ...budget(maxLoaded) });
		const stored = this.stored();
		const isIn = stored.some(({ name }) => name === skill.name);
		const slots = stored.filter(({ pinned }) => !pinned).length;
		// Another process took the last slot first.
		if (!isIn && slots >= maxLoaded) return { outcome: 'full', loaded: this.known() };
		// Two calls of one turn may ask for the same skill; one of them gets its text.
		const twin = delivered.get(skill.name);
		if (twin && isSameDelivery(twin, skill)) {
			return { outcome: 'already', previous: twin, loaded: this.known() };
		}
		delivered.set(skill.name, skill);
		return { ...taken, loaded: this.known() };
	}

	async forget(name: string): Promise<boolean> {
		const known = await this.read();
		this.memory.delivered.delete(name);
		if (this.stored().some((one) => one.name === name)) {
			await this.add({ op: 'forget', ...this.scope, name });
		}
		return known.some((one) => one.name === name);
	}

	/** What the log says, and what the model got in this execution. */
	known(): LoadedSkill[] {
		const { delivered } = this.memory;
		const stored = this.stored();
		const names = new Set(stored.map(({ name }) => name));
		const pins = [...delivered.values()].filter((one) => one.pinned && !names.has(one.name));
		return [...stored.map((one) => delivered.get(one.name) ?? one), ...pins];
	}

	/** That a known text was given again, or a pin at all, concerns this execution only. */
	private needsEntry(skill: LoadedSkill): boolean {
		const stored = this.stored().find(({ name }) => name === skill.name);
		if (!stored) return !skill.pinned;
		const isOld = skill.at - stored.at > SESSION_TOUCH_MS;
		return isOld || stored.hash !== skill.hash || !stored.pinned !== !skill.pinned;
	}

	private stored(): LoadedSkill[] {
		return this.memory.seen?.sessions.get(scopeKey(this.scope))?.loaded ?? [];
	}

	private async look(): Promise<void> {
		const at = this.now();
		this.remember(await this.log.look(), at);
	}

	private async add(entry: NewEntry): Promise<void> {
		const at = this.now();
		this.remember(await this.log.add(entry), at);
	}

	private remember({ sessions }: { sessions: Sessions }, at: number): void {
		this.memory.seen = { sessions, at };
	}
}

/** JSON knows no infinite number. */
function budget(max: number): { max?: number } {
	return Number.isFinite(max) ? { max } : {};
}
