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

/**
 * A log that several processes add to at the same time, over a store that can only add, give all
 * and delete all. Whoever compacts must not delete what another adds meanwhile, so
 *
 * 1. it announces the compaction, and only then reads what it will keep;
 * 2. it goes on only if no other announcement stands, and soon, else it takes its own back; nor
 *    does it touch a log that another may just have cleared;
 * 3. whoever adds an entry looks for it afterwards: while a compaction is announced it waits for
 *    the end of it, and adds the entry again if it is neither in the log nor in the snapshot.
 *
 * An entry that was added before (1) was read is in the snapshot; the writer of a later one sees
 * the announcement, or that its entry is gone. In the few milliseconds between deleting and adding
 * the snapshot others see less than is loaded; a process that is killed just then loses the log.
 * Either way a skill counts as not loaded and is handed over again.
 */
export class SharedLog {
	constructor(
		private readonly log: TextLog,
		private readonly clock: LogClock = systemClock,
		private readonly maxEntries = MAX_LOG_ENTRIES,
	) {}

	/** Gives back what the log says now. */
	async look(): Promise<JournalView> {
		const view = foldJournal(await this.log.read(), this.clock.now());
		if (view.foreign > 0) throw new ForeignLogError();
		return view;
	}

	/** Adds an entry for good, and gives back what the log says with it. */
	async add(entry: NewEntry): Promise<JournalView> {
		const view = await this.write(this.complete(entry));
		if (this.isLong(view) && view.open.length === 0 && this.clock.chance() * COMPACTION_ODDS < 1)
			await this.compact();
		return view;
	}

	/** A log that is all new was just cleared by another process, whose snapshot may be missing. */
	private isLong({ length, since, unreadable }: JournalView): boolean {
		const isOld = this.clock.now() - since > COMPACT_AFTER_MS;
		return length > this.maxEntries && isOld && unreadable === 0;
	}

	private complete(entry: NewEntry): JournalEntry {
		return { ...entry, id: newId(), at: this.clock.now() } as JournalEntry;
	}

	private async write(entry: JournalEntry): Promise<JournalView> {
		const { now, wait } = this.clock;
		const started = now();
		const firstSeen = new Map<string, number>();
		const isAwaited = (id: string) => {
			if (!firstSeen.has(id)) firstSeen.set(id, now());
			return now() - (firstSeen.get(id) as number) < COMPACTION_GRACE_MS;
		};
		await this.log.append(encodeEntry(entry));
		while (now() - started < LOG_WRITE_MS) {
			const view = await this.look();
			// Not `some`: each announcement's time runs from when it is first seen.
			if (view.open.filter(isAwaited).length > 0) await wait(LOG_POLL_MS);
			else if (view.known.has(entry.id)) return view;
			else await this.log.append(encodeEntry(entry));
		}
		throw new Error('it did not keep what was written');
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
		await this.log.clear();
		await this.write(snapshotOf(view, { id: newId(), at: now(), coverMs: LOG_COVER_MS }));
	}
}
