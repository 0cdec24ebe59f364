import {
	decodeEntry,
	encodeEntry,
	foldJournal,
	snapshotOf,
	type JournalEntry,
} from '../../nodes/core/journal';
import {
	COMPACT_AFTER_MS,
	COMPACTION_DEAD_MS,
	COMPACTION_GRACE_MS,
	LOG_COVER_MS,
	SESSION_IDLE_MS,
} from '../../nodes/core/limits';
import { scopeKey } from '../../nodes/core/loaded';
import type { LoadedSkill } from '../../nodes/core/schema';
import {
	ForeignLogError,
	SharedLog,
	type LogClock,
	type TextLog,
} from '../../nodes/core/shared-log';

const NOW = 1_700_000_000_000;
const SCOPE = { state: 'skills', session: 'one' };

const skill = (name: string, more: Partial<LoadedSkill> = {}): LoadedSkill => ({
	name,
	hash: 'h',
	at: NOW,
	execution: 'run-1',
	resources: [],
	...more,
});
const record = (name: string, more: object = {}): JournalEntry =>
	({
		op: 'record',
		id: `id-${name}`,
		at: NOW,
		...SCOPE,
		skill: skill(name),
		...more,
	}) as JournalEntry;
const forget = (name: string): JournalEntry =>
	({ op: 'forget', id: `forget-${name}`, at: NOW, ...SCOPE, name }) as JournalEntry;
const compaction = (id: string, at = NOW): JournalEntry => ({ op: 'compact', id, at });

const fold = (...entries: JournalEntry[]) => foldJournal(entries.map(encodeEntry), NOW);
const namesOf = ({ sessions }: ReturnType<typeof fold>) =>
	(sessions.get(scopeKey(SCOPE))?.loaded ?? []).map(({ name }) => name);

/** A store in this process, and a clock that moves only when somebody waits. */
class Store {
	readonly texts: string[];
	time = NOW;
	beforeRead: () => void = () => undefined;

	constructor(...entries: JournalEntry[]) {
		this.texts = entries.map(encodeEntry);
	}

	readonly log: TextLog = {
		read: async () => {
			this.beforeRead();
			return [...this.texts];
		},
		append: async (text) => void this.texts.push(text),
		clear: async () => void this.texts.splice(0),
	};

	readonly clock: LogClock = {
		now: () => this.time,
		wait: async (ms) => void (this.time += ms),
		chance: () => 0,
	};

	open(maxEntries = 2): SharedLog {
		return new SharedLog(this.log, this.clock, maxEntries);
	}

	ops(): Array<string | undefined> {
		return this.texts.map((text) => (decodeEntry(text) as JournalEntry | null)?.op);
	}
}

const old = (name: string) => record(name, { at: NOW - COMPACT_AFTER_MS - 1 });
const newEntry = (name: string) => ({ op: 'record' as const, ...SCOPE, skill: skill(name) });

describe('an entry as text', () => {
	it('is read as it was written, and says whose it is', () => {
		const text = encodeEntry(record('a', { max: 3 }));
		expect(text.startsWith('agent-skills/1 {')).toBe(true);
		expect(decodeEntry(text)).toEqual(record('a', { max: 3 }));
	});

	it.each([
		['a message of a person', 'Hello', 'foreign'],
		['no text at all', '', 'foreign'],
		['an entry of another version', 'agent-skills/2 {}', null],
		['a cut entry', 'agent-skills/1 {"op":"rec', null],
		['an entry with wrong fields', 'agent-skills/1 {"op":"record","id":7}', null],
	])('%s is none', (_, text, expected) => {
		expect(decodeEntry(text)).toBe(expected);
	});
});

describe('what a log says', () => {
	it('is what was loaded and not unloaded, in the order of the log', () => {
		expect(namesOf(fold(record('a'), record('b'), forget('a'), record('c')))).toEqual(['b', 'c']);
	});

	it('an entry that stands there twice counts once', () => {
		expect(namesOf(fold(record('a'), forget('a'), record('a')))).toEqual([]);
	});

	it('one that found all slots taken counts for nobody', () => {
		const view = fold(record('a', { max: 1 }), record('b', { max: 1 }));
		expect(namesOf(view)).toEqual(['a']);
		expect(view.known.has('id-b')).toBe(true);
	});

	it('is the same after it was replaced by a snapshot, whatever is added on either side of it', () => {
		const view = fold(record('a'), record('b'), forget('a'));
		const snapshot = snapshotOf(view, { id: 's', at: NOW, coverMs: LOG_COVER_MS });
		expect(namesOf(fold(snapshot))).toEqual(['b']);
		expect(namesOf(fold(record('c'), snapshot, record('d')))).toEqual(['b', 'c', 'd']);
		expect(namesOf(fold(snapshot, record('a')))).toEqual(['b']);
	});

	it('two snapshots that do not know each other both count, the newer for a session of both', () => {
		const at = (time: number, id: string, name: string) =>
			snapshotOf(fold(record(name, { at: time })), { id, at: NOW, coverMs: LOG_COVER_MS });
		expect(namesOf(fold(at(NOW, 's1', 'new'), at(NOW - 1, 's2', 'old')))).toEqual(['new']);
	});

	it('a snapshot that another one contains does not count', () => {
		const first = snapshotOf(fold(record('a')), { id: 's1', at: NOW, coverMs: LOG_COVER_MS });
		const view = fold(first, forget('a'));
		const second = snapshotOf(view, { id: 's2', at: NOW, coverMs: LOG_COVER_MS });
		expect(namesOf(fold(second, first))).toEqual([]);
	});

	it('a snapshot leaves out idle sessions, and the ids that nobody looks for any more', () => {
		const at = NOW + SESSION_IDLE_MS + 1;
		const snapshot = snapshotOf(fold(record('a')), { id: 's', at, coverMs: LOG_COVER_MS });
		expect(snapshot).toMatchObject({ sessions: [], covers: {} });
	});

	it('an announcement is open until it is taken back, done or too old', () => {
		const abandon: JournalEntry = { op: 'abandon', id: 'x', at: NOW, compact: 'b' };
		const dead = compaction('c', NOW - COMPACTION_DEAD_MS);
		expect(fold(compaction('a'), compaction('b'), abandon, dead).open).toEqual(['a']);
		const view = fold(compaction('a'));
		const snapshot = snapshotOf(view, { id: 's', at: NOW, coverMs: LOG_COVER_MS });
		expect(fold(compaction('a'), snapshot).open).toEqual([]);
	});
});

describe('compacting', () => {
	it('replaces a long log by one entry that says the same', async () => {
		const store = new Store(old('a'), old('b'));
		await store.open().add(newEntry('c'));
		expect(store.ops()).toEqual(['snapshot']);
		expect(namesOf(foldJournal(store.texts, NOW))).toEqual(['a', 'b', 'c']);
	});

	it.each([
		['is short', [old('a')]],
		['is all new: another process may just have cleared it', [record('a'), record('b')]],
		['has an announcement of another process', [old('a'), old('b'), compaction('other')]],
	])('leaves a log alone that %s', async (_, entries) => {
		const store = new Store(...entries);
		await store.open().compact();
		expect(store.ops()).toEqual([...entries.map(({ op }) => op), 'compact', 'abandon']);
	});

	it('leaves a log alone that has entries of a newer version', async () => {
		const store = new Store(old('a'), old('b'));
		store.texts.push('agent-skills/2 {}');
		await store.open().add(newEntry('c'));
		expect(store.texts).toHaveLength(4);
	});

	it('takes its announcement back when it was too slow', async () => {
		const store = new Store(old('a'), old('b'), old('c'));
		store.beforeRead = () => (store.time += 1000);
		await store.open().compact();
		expect(store.ops().slice(-2)).toEqual(['compact', 'abandon']);
	});
});

describe('adding', () => {
	it('adds the entry again when another process cleared it away', async () => {
		const store = new Store();
		let reads = 0;
		store.beforeRead = () => {
			if (reads++ === 0) store.texts.length = 0;
		};
		const view = await store.open().add(newEntry('a'));
		expect(namesOf(view)).toEqual(['a']);
		expect(store.ops()).toEqual(['record']);
	});

	it('waits for the end of an announced compaction', async () => {
		const store = new Store(compaction('other'));
		let reads = 0;
		store.beforeRead = () => {
			if (reads++ === 3) store.texts.length = 0;
		};
		await store.open().add(newEntry('a'));
		expect(store.ops()).toEqual(['record']);
	});

	it('does not wait for ever when the process that announced it was killed', async () => {
		const store = new Store(compaction('other'));
		await store.open().add(newEntry('a'));
		expect(store.time - NOW).toBeGreaterThanOrEqual(COMPACTION_GRACE_MS);
		expect(store.time - NOW).toBeLessThan(COMPACTION_GRACE_MS + 100);
	});

	it('gives up on a store that keeps nothing', async () => {
		const store = new Store();
		store.beforeRead = () => {
			store.texts.length = 0;
			store.time += 500;
		};
		await expect(store.open().add(newEntry('a'))).rejects.toThrow('did not keep');
	});

	it('refuses a log in which somebody keeps a conversation', async () => {
		const store = new Store();
		store.texts.push('Hello');
		await expect(store.open().look()).rejects.toThrow(ForeignLogError);
	});
});
