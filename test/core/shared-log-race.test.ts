import fc from 'fast-check';

import { decodeEntry, foldJournal, hiddenScope } from '../../nodes/core/journal';
import { COMPACT_AFTER_MS, COMPACT_WITHIN_MS, COMPACTION_GRACE_MS } from '../../nodes/core/limits';
import { scopeKey, type Scope } from '../../nodes/core/loaded';
import type { LoadedSkill } from '../../nodes/core/schema';
import { SharedLog, type LogClock, type TextLog } from '../../nodes/core/shared-log';
import { createSharedStore, newSharedMemory } from '../../nodes/core/shared-store';

/** So long a live process stands still at most; the limits of the log rest on it. */
const STANDS_STILL_AT_MOST_MS = (COMPACTION_GRACE_MS - COMPACT_WITHIN_MS) / 5;
/** Between two turns of a chat; long enough for a log to be compacted. */
const PAUSE_MS = COMPACT_AFTER_MS / 2;

/** What a process sees: the store, the time, and a pause between its turns. */
interface Access {
	log: TextLog;
	clock: LogClock;
	pause(): Promise<void>;
}

/** What is wrong with a store and the clocks of those who use it. */
interface Flaws {
	/** A reader sees what stood there so many changes ago, and then more with each look. */
	lag?: number;
	/** By so much the clock of each process is ahead of the one before it. */
	skewMs?: number;
	/** Deleting, and adding what replaces the deleted, fail now and then, mostly with effect. */
	fails?: boolean;
}

/** A store that processes reach in whatever order the scheduler chooses, and their common time. */
class SimulatedStore {
	readonly texts: string[] = [];
	clears = 0;
	time = 1_700_000_000_000;
	/** The log was deleted, and what stands for it is not there yet. */
	isGap = false;
	private readonly history: string[][] = [[]];
	private snapshots = 0;
	private processes = 0;
	/** When each process that is at work did something last. */
	private readonly atWork = new Map<Access, number>();

	constructor(
		private readonly scheduler: fc.Scheduler,
		private readonly flaws: Flaws = {},
	) {}

	connect(): Access {
		const { lag = 0, skewMs = 0 } = this.flaws;
		const ahead = skewMs * this.processes++;
		let seen = 0;
		const reach = async <T>(act: () => T): Promise<T> => {
			await this.anyOther(access);
			const result = act();
			await this.anyOther(access);
			return result;
		};
		const read = () => {
			const latest = this.history.length - 1;
			seen = Math.max(Math.min(seen + 1, latest), latest - lag);
			return [...this.history[seen]];
		};
		const access: Access = {
			log: {
				read: async () => await reach(read),
				append: async (text) => await reach(() => this.append(text)),
				clear: async () => await reach(() => this.clear()),
			},
			clock: {
				now: () => this.time + ahead,
				chance: () => 0,
				wait: async (ms) => await this.pass(access, ms),
			},
			pause: async () => await this.pass(access, PAUSE_MS),
		};
		return access;
	}

	private append(text: string): void {
		const entry = decodeEntry(text);
		const isSnapshot = typeof entry === 'object' && entry?.op === 'snapshot';
		const fails = this.flaws.fails && isSnapshot ? this.snapshots++ % 3 : 2;
		if (fails === 0) throw new Error('ECONNRESET before it was written');
		this.texts.push(text);
		this.history.push([...this.texts]);
		if (isSnapshot) this.isGap = false;
		if (fails === 1) throw new Error('ECONNRESET after it was written');
	}

	private clear(): void {
		const fails = this.flaws.fails ? this.clears % 3 : 2;
		this.clears++;
		if (fails === 0) throw new Error('nothing was deleted');
		this.texts.splice(0);
		this.history.push([]);
		this.isGap = true;
		if (fails === 1) throw new Error('no answer, but all was deleted');
	}

	private async anyOther(access: Access): Promise<void> {
		this.atWork.set(access, this.time);
		await this.scheduler.schedule(Promise.resolve());
		this.atWork.set(access, this.time);
	}

	private async pass(access: Access, ms: number): Promise<void> {
		const until = this.time + ms;
		this.atWork.delete(access);
		while (this.time < until) {
			await this.scheduler.schedule(Promise.resolve());
			const latest = Math.min(...this.atWork.values()) + STANDS_STILL_AT_MOST_MS;
			this.time = Math.max(this.time, Math.min(until, latest));
		}
	}
}

const skill = (name: string, execution: string): LoadedSkill => ({
	name,
	hash: 'h',
	at: 0,
	execution,
	resources: [],
});

type Step = { load: string } | { unload: string };
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 3, arbitrary: fc.constantFrom('a', 'b', 'c', 'd').map((load) => ({ load })) },
	{ weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c', 'd').map((unload) => ({ unload })) },
);
const processes = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), {
	minLength: 2,
	maxLength: 4,
});

/**
 * Does the steps one after the other, each in an execution of its own, as turns of a chat are, and
 * gives back what is loaded by what it was told; null when it gave up, being too slow, or when it
 * first looked while the log was deleted: then it cannot know what the budget has to say.
 */
async function runProcess(
	store: SimulatedStore,
	name: string,
	scope: Scope,
	steps: Step[],
	{ max, maxEntries }: { max: number; maxEntries: number },
): Promise<string[] | null> {
	const told = new Set<string>();
	const access = store.connect();
	let isBlind = false;
	let isDown = false;
	for (const [turn, one] of steps.entries()) {
		await access.pause();
		let isFirst = true;
		const read = async () => {
			const texts = await access.log.read();
			isBlind ||= isFirst && store.isGap;
			isFirst = false;
			return texts;
		};
		const log = new SharedLog({ ...access.log, read }, access.clock, maxEntries);
		const memory = newSharedMemory();
		const loaded = createSharedStore(log, scope, memory, () => undefined, access.clock.now);
		if ('load' in one) {
			const { outcome } = await loaded.record(skill(one.load, `${name}-${turn}`), max);
			if (outcome !== 'full') told.add(one.load);
		} else if (await loaded.forget(one.unload)) told.delete(one.unload);
		isDown = memory.isDown;
		if (isDown) break;
	}
	await access.pause();
	return isDown || (isBlind && max < ENOUGH) ? null : [...told].sort();
}

const ENOUGH = 9;

const namesIn = (store: SimulatedStore, scope: Scope) => {
	const { sessions } = foldJournal(store.texts, store.time);
	return (sessions.get(scopeKey(hiddenScope(scope)))?.loaded ?? []).map(({ name }) => name).sort();
};

it.each<[string, Flaws, number]>([
	['', {}, ENOUGH],
	[', under a tight budget', {}, 2],
	[', though deleting and replacing the log fail', { fails: true }, ENOUGH],
	[', though they fail and the budget is tight', { fails: true }, 2],
	[', though readers see the store with a delay', { lag: 3 }, ENOUGH],
	[', though the clocks differ by seconds', { skewMs: 4000 }, ENOUGH],
])(
	'what was loaded stays and what was unloaded is gone, whatever the order of writing and compacting%s',
	async (_, flaws, max) => {
		let clears = 0;
		let gaveUp = 0;
		let runs = 0;
		await fc.assert(
			fc.asyncProperty(fc.scheduler(), processes, async (scheduler, all) => {
				const store = new SimulatedStore(scheduler, flaws);
				const scopes = all.map((__, index) => ({ state: 'skills', session: String(index) }));
				const running = all.map((steps, index) =>
					runProcess(store, String(index), scopes[index], steps, { max, maxEntries: 2 }),
				);
				const told = await scheduler.waitFor(Promise.all(running));
				clears += store.clears;
				const kept = scopes.map((scope, index) => told[index] && namesIn(store, scope));
				expect(kept).toEqual(told);
				runs += told.length;
				gaveUp += told.filter((names) => names === null).length;
			}),
			{ numRuns: 120 },
		);
		expect(gaveUp).toBeLessThan(runs / 10);
		// Else the log was never compacted, and nothing was shown.
		expect(clears).toBeGreaterThan(40);
	},
	120_000,
);

it('processes that load for one session at the same time never exceed its budget', async () => {
	await fc.assert(
		fc.asyncProperty(fc.scheduler(), processes, async (scheduler, all) => {
			const store = new SimulatedStore(scheduler);
			const scope = { state: 'skills', session: 'one' };
			const running = all.map((steps, index) =>
				runProcess(store, String(index), scope, steps, { max: 2, maxEntries: 3 }),
			);
			await scheduler.waitFor(Promise.all(running));
			expect(namesIn(store, scope).length).toBeLessThanOrEqual(2);
		}),
		{ numRuns: 150 },
	);
}, 120_000);
