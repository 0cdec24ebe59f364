import type { Scope, LoadedStore, Recorded, Sessions } from './loaded';
import { createLoadedStore, isSameDelivery, scopeKey, takeSlot } from './loaded';
import { hiddenScope, type JournalView } from './journal';
import {
	EXECUTION_SNAPSHOT_MS,
	SESSION_TOUCH_MS,
	SHARED_STATE_SLOW_MS,
	SHARED_STATE_SLOW_TOTAL_MS,
} from './limits';
import type { LoadedSkill } from './schema';
import { ForeignLogError, type NewEntry, type SharedLog } from './shared-log';

/** The store behind the logs of all scopes, as one execution found it. */
export interface SharedPlace {
	/** It was slow to fail, and is not asked again in this execution. */
	isDown: boolean;
	/** How long its slow answers took, all together. */
	slowMs: number;
}

/** Gives back a store of which nothing is known yet. */
export function newSharedPlace(): SharedPlace {
	return { isDown: false, slowMs: 0 };
}

/** What one execution remembers of a shared state; the log itself is asked no more than needed. */
export interface SharedMemory {
	/** What the log said last, and when. */
	seen?: { view: JournalView; at: number };
	/** Skills whose text the model got in this execution: nobody else needs to know that. */
	delivered: Map<string, LoadedSkill>;
	/** The log failed, and is not asked again in this execution. */
	isDown: boolean;
	/** What stands in for the log from then on. */
	local: Sessions;
	/** The same for all scopes of one memory node. */
	place: SharedPlace;
}

/** Gives back the memory of a new execution. */
export function newSharedMemory(place = newSharedPlace()): SharedMemory {
	return { delivered: new Map(), isDown: false, local: new Map(), place };
}

/**
 * Gives back the store of one scope over a log that several processes share. When the log cannot
 * be used, the execution goes on with what it knows, and tells through `onDown`. One that was slow
 * to fail is asked by no scope again: each would cost the run as much time.
 */
export function createSharedStore(
	log: SharedLog,
	scope: Scope,
	memory: SharedMemory,
	onDown: (error: unknown, isSlow: boolean) => void,
	now: () => number = Date.now,
): LoadedStore {
	const hidden = hiddenScope(scope);
	const shared = new SharedStore(log, hidden, memory, now);
	const local = createLoadedStore(memory.local, hidden, () => undefined, now);
	const giveUp = (error: unknown, tookMs: number) => {
		// Two calls of one turn may fail at the same time; the first one tells.
		if (memory.isDown) return;
		memory.isDown = true;
		memory.local.set(scopeKey(hidden), { ...hidden, touched: now(), loaded: shared.known() });
		// Somebody's conversation under one key says nothing of the others.
		const wasSlow = tookMs >= SHARED_STATE_SLOW_MS && !(error instanceof ForeignLogError);
		const isSlow = wasSlow || error instanceof SlowStoreError;
		if (isSlow) memory.place.isDown = true;
		onDown(error, isSlow);
	};
	const either = async <T>(use: (store: LoadedStore) => Promise<T>): Promise<T> => {
		const { isDown, slowMs } = memory.place;
		if (isDown) giveUp(new Error('it did not answer before'), 0);
		else if (slowMs > SHARED_STATE_SLOW_TOTAL_MS) giveUp(new SlowStoreError(), 0);
		if (memory.isDown) return await use(local);
		const started = now();
		try {
			return await use(shared);
		} catch (error) {
			giveUp(error, now() - started);
			return await use(local);
		}
	};
	return {
		read: async () => await either(async (store) => await store.read()),
		record: async (skill, max) => await either(async (store) => await store.record(skill, max)),
		forget: async (name) => await either(async (store) => await store.forget(name)),
	};
}

/** What is told of a store that works, but costs the run too much time. */
class SlowStoreError extends Error {
	constructor() {
		super(`its slow answers took more than ${SHARED_STATE_SLOW_TOTAL_MS / 1000} seconds`);
	}
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
		if (!this.needsEntry(skill)) return this.twinOf(skill) ?? this.deliver(skill, taken);
		await this.add({ op: 'record', ...this.scope, skill, ...budget(maxLoaded) });
		const stored = this.stored();
		const isIn = stored.some(({ name }) => name === skill.name);
		const slots = stored.filter(({ pinned }) => !pinned).length;
		// Another process took the last slot first.
		if (!isIn && slots >= maxLoaded) return { outcome: 'full', loaded: this.known() };
		return this.twinOf(skill) ?? this.deliver(skill, taken);
	}

	/** Two calls of one turn may ask for the same skill; one of them gets its text. */
	private twinOf(skill: LoadedSkill): Recorded | undefined {
		const twin = this.memory.delivered.get(skill.name);
		if (!twin || !isSameDelivery(twin, skill)) return undefined;
		return { outcome: 'already', previous: twin, loaded: this.known() };
	}

	private deliver(skill: LoadedSkill, taken: Recorded): Recorded {
		this.memory.delivered.set(skill.name, skill);
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
		return this.memory.seen?.view.sessions.get(scopeKey(this.scope))?.loaded ?? [];
	}

	private async look(): Promise<void> {
		this.remember(await this.log.look());
	}

	private async add(entry: NewEntry): Promise<void> {
		this.remember(await this.log.add(entry, this.memory.seen?.view));
	}

	/** As of now: a slow answer would be out of date at once, and be asked for again. */
	private remember(view: JournalView): void {
		this.memory.seen = { view, at: this.now() };
	}
}

/** JSON knows no infinite number. */
function budget(max: number): { max?: number } {
	return Number.isFinite(max) ? { max } : {};
}
