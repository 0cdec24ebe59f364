import { randomBytes } from 'node:crypto';

import {
	encodeEntry,
	foldJournal,
	snapshotOf,
	type JournalEntry,
	type JournalView,
} from './journal';
import {
	COMPACT_AFTER_MS,
	COMPACT_WITHIN_MS,
	COMPACTION_GRACE_MS,
	COMPACTION_ODDS,
	LOG_COVER_MS,
	LOG_POLL_MS,
	LOG_REPEAT_MAX_MS,
	LOG_WRITE_MS,
	MAX_LOG_ENTRIES,
} from './limits';

/** The port to a store of texts: all that a chat memory of n8n can do for us. */
export interface TextLog {
	read(): Promise<string[]>;
	append(text: string): Promise<void>;
	clear(): Promise<void>;
}

/** Time and chance, so that a test can decide them. */
export interface LogClock {
	now(): number;
	wait(ms: number): Promise<void>;
	/** A number from 0 up to 1. */
	chance(): number;
}

/** The clock of the machine. */
export const systemClock: LogClock = {
	now: Date.now,
	wait: async (ms) => await new Promise((resolve) => setTimeout(resolve, ms)),
	chance: Math.random,
};

/** What is told of a store in which somebody keeps a conversation: ours must not mix with it. */
export class ForeignLogError extends Error {
	constructor() {
		super(
			'The memory that is connected to "Shared State" holds a conversation. Give its node a key that no other memory uses.',
		);
	}
}

/** An entry before it has its id and time. */
export type NewEntry = JournalEntry extends infer Entry
	? Entry extends JournalEntry
		? Omit<Entry, 'id' | 'at'>
		: never
	: never;

/** Gives back an id that no other process makes. */
const newId = () => randomBytes(9).toString('base64url');

/** What stands in the way of a compaction, in words for the person. */
const UNREADABLE =
	'holds entries that this version cannot read, so it is never shortened and grows. Update n8n-nodes-agent-skills everywhere, or give the memory node a new key.';
const LOST =
	'could not be written to while it was shortened. What was loaded may count as not loaded in the next run.';

/**
 * A log that several processes add to at the same time, over a store that can only add, give all
 * and delete all. Whoever compacts must not delete what another adds meanwhile, so
 *
 * 1. it announces the compaction, and only then reads what it will keep;
 * 2. it goes on only if no other announcement stands, and soon, else it takes its own back; nor
 *    does it touch a log that another may just have cleared;
 * 3. whoever adds an entry looks for it afterwards: while a compaction is announced, or what it
 *    knew is gone and no snapshot there yet, it waits for the end of it, and adds the entry again
 *    if it is neither in the log nor in the snapshot.
 *
 * An entry that was added before (1) was read is in the snapshot; the writer of a later one sees
 * the announcement, or that its entry is gone. In the few milliseconds between deleting and adding
 * the snapshot others see less than is loaded; a process that is killed just then loses the log.
 * Either way a skill counts as not loaded and is handed over again. A store that does not answer
 * to the deletion may have done it: the snapshot is written all the same, as it says of what it
 * stands for.
 */
export class SharedLog {
	constructor(
		private readonly log: TextLog,
		private readonly clock: LogClock = systemClock,
		private readonly maxEntries = MAX_LOG_ENTRIES,
		/** Gets what a person should know, as the rest of a sentence about the store. */
		private readonly warn: (problem: string) => void = () => undefined,
	) {}

	/** Gives back what the log says now. */
	async look(): Promise<JournalView> {
		const view = foldJournal(await this.log.read(), this.clock.now());
		if (view.foreign > 0) throw new ForeignLogError();
		return view;
	}

	/** Adds an entry for good, and gives back what the log says with it and what was known before. */
	async add(entry: NewEntry, before?: JournalView): Promise<JournalView> {
		const view = await this.write(this.complete(entry), before);
		if (this.isLong(view) && view.open.length === 0 && this.clock.chance() * COMPACTION_ODDS < 1) {
			// The entry is in the log, whatever becomes of the compaction.
			await this.compact().catch(() => undefined);
		}
		return view;
	}

	/** A log that is all new was just cleared by another process, whose snapshot may be missing. */
	private isLong({ length, since, unreadable, snapshots }: JournalView): boolean {
		const isOld = this.clock.now() - since > COMPACT_AFTER_MS;
		// A store that deletes nothing keeps every snapshot: try more seldom each time.
		const limit = this.maxEntries * 2 ** Math.max(0, snapshots - 1);
		if (length <= limit || !isOld) return false;
		if (unreadable > 0) this.warn(UNREADABLE);
		return unreadable === 0;
	}

	private complete(entry: NewEntry): JournalEntry {
		return { ...entry, id: newId(), at: this.clock.now() } as JournalEntry;
	}

	private async write(entry: JournalEntry, before?: JournalView): Promise<JournalView> {
		const { now, wait } = this.clock;
		const started = now();
		const isAwaited = this.patience();
		let pause = LOG_POLL_MS;
		await this.log.append(encodeEntry(entry));
		while (now() - started < LOG_WRITE_MS) {
			const view = await this.look();
			const pending = wasCleared(before, view) ? [CLEARED, ...view.open] : view.open;
			// Not `some`: each announcement's time runs from when it is first seen.
			if (pending.filter(isAwaited).length > 0) {
				await wait(LOG_POLL_MS);
				continue;
			}
			if (view.known.has(entry.id)) return view;
			// A store that reads from a copy of itself shows the entry a little later.
			await wait(pause);
			pause = Math.min(2 * pause, LOG_REPEAT_MAX_MS);
			if ((await this.look()).known.has(entry.id)) continue;
			await this.log.append(encodeEntry(entry));
		}
		throw new Error('it did not keep what was written');
	}

	/** Gives back whether something is worth waiting for, which it is for a while. */
	private patience(): (what: string) => boolean {
		const { now } = this.clock;
		const firstSeen = new Map<string, number>();
		return (what) => {
			if (!firstSeen.has(what)) firstSeen.set(what, now());
			return now() - (firstSeen.get(what) as number) < COMPACTION_GRACE_MS;
		};
	}

	/** Replaces the log by one entry that says the same; does nothing when another process is at it. */
	async compact(): Promise<void> {
		const { now } = this.clock;
		const started = now();
		const intent = this.complete({ op: 'compact' });
		await this.log.append(encodeEntry(intent));
		const view = await this.look();
		const isAlone = view.open.length === 1 && view.open[0] === intent.id;
		if (!isAlone || !this.isLong(view) || now() - started > COMPACT_WITHIN_MS) {
			await this.log.append(encodeEntry(this.complete({ op: 'abandon', compact: intent.id })));
			return;
		}
		// What fails may have been done, and only its answer be lost.
		await this.log.clear().catch(() => undefined);
		await this.writeSurely(snapshotOf(view, { id: newId(), at: now(), coverMs: LOG_COVER_MS }));
	}

	/** Adds the one entry that all depends on; a store that fails is tried again for a while. */
	private async writeSurely(entry: JournalEntry): Promise<void> {
		const { now, wait } = this.clock;
		const started = now();
		for (let pause = LOG_POLL_MS; ; pause = Math.min(2 * pause, LOG_REPEAT_MAX_MS)) {
			try {
				await this.write(entry);
				return;
			} catch (error) {
				const isForeign = error instanceof ForeignLogError;
				if (isForeign || now() - started >= LOG_WRITE_MS) {
					this.warn(LOST);
					throw error;
				}
				await wait(pause);
			}
		}
	}
}

const CLEARED = 'the log was cleared';

/** Tells whether what was known is gone, while nothing in the log says what became of it. */
function wasCleared(before: JournalView | undefined, view: JournalView): boolean {
	if (!before || before.known.size === 0 || view.snapshots > 0) return false;
	return ![...before.known.keys()].some((id) => view.known.has(id));
}
