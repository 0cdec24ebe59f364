import {
	decodeEntry,
	encodeEntry,
	foldJournal,
	hiddenScope,
	snapshotOf,
	type JournalEntry,
} from '../../nodes/core/journal';
import {
	COMPACT_AFTER_MS,
	COMPACTION_DEAD_MS,
	COMPACTION_GRACE_MS,
	LOG_COVER_MS,
	LOG_WRITE_MS,
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
const SCOPE = hiddenScope({ state: 'skills', session: 'session:one' });

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
	readonly warnings: string[] = [];
	time = NOW;
	beforeRead: () => void = () => undefined;
	/** May throw, before or after it has an effect. */
	beforeAppend: (text: string) => void = () => undefined;
	clear: () => void = () => void this.texts.splice(0);

	constructor(...entries: JournalEntry[]) {
		this.texts = entries.map(encodeEntry);
	}

	readonly log: TextLog = {
		read: async () => {
			this.beforeRead();
			return [...this.texts];
		},
		append: async (text) => {
			this.beforeAppend(text);
			this.texts.push(text);
		},
		clear: async () => this.clear(),
	};

	readonly clock: LogClock = {
		now: () => this.time,
		wait: async (ms) => void (this.time += ms),
		chance: () => 0,
	};

	open(maxEntries = 2): SharedLog {
		return new SharedLog(this.log, this.clock, maxEntries, (problem) => {
			this.warnings.push(problem);
		});
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

describe('whose an entry is', () => {
	const scope = { state: 'skills', session: 'session:chat-7' };

	it('nobody reads from the log: the session is hidden, and in each state another', () => {
		const hidden = hiddenScope(scope);
		expect(hidden.session).toMatch(/^#[\w-]{22}$/);
		expect(hiddenScope(hidden)).toEqual(hidden);
		expect(hiddenScope({ ...scope, state: 'other' }).session).not.toBe(hidden.session);
		expect(hiddenScope({ ...scope, session: '' }).session).toBe('');
	});

	it('is found in entries of an older version, which named the session', () => {
		const older = record('a', scope);
		const session = { ...scope, touched: NOW, loaded: [skill('b')] };
		const snapshot = { op: 'snapshot', id: 's', at: NOW, covers: {}, sessions: [session] };
		const { sessions } = fold(older, snapshot as JournalEntry);
		const { loaded } = sessions.get(scopeKey(hiddenScope(scope))) ?? {};
		expect(loaded?.map(({ name }) => name)).toEqual(['b', 'a']);
		expect(sessions.size).toBe(1);
	});

	it.each([
		['the shape of our own keys', '#x'],
		['a long text', 'x'.repeat(5000)],
		['control characters and quotation marks', '"]\n\u0000\u2028'],
		['emoji and half of one', '😀\ud83d'],
		['the name of a method', '__proto__'],
	])('is kept apart for a session and a state named with %s', (_, name) => {
		const odd = { state: name, session: `session:${name}` };
		const scopes = [odd, { ...odd, state: 'skills' }, { ...odd, session: 'session:other' }];
		const entries = scopes.map((one, index) =>
			record('a', { ...hiddenScope(one), id: `i${index}` }),
		);
		expect(fold(...entries).sessions.size).toBe(3);
		expect(fold(...entries).sessions.get(scopeKey(hiddenScope(odd)))?.loaded).toHaveLength(1);
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
		const before = snapshotOf(fold(record('a')), { id: 's1', at: NOW, coverMs: LOG_COVER_MS });
		const snapshot = snapshotOf(fold(before), { id: 's2', at, coverMs: LOG_COVER_MS });
		expect(snapshot).toMatchObject({ sessions: [], covers: { s1: NOW } });
	});

	it('is the same where a snapshot was added and nothing deleted', () => {
		const long = { at: NOW - 2 * LOG_COVER_MS, max: 2 };
		const history = [
			record('x', { ...long, id: '1' }),
			{ ...forget('x'), id: '2' },
			record('w', { ...long, id: '3' }),
			record('x', { ...long, id: '4' }),
			forget('w'),
			record('y', { ...long, id: '5' }),
		];
		const snapshot = snapshotOf(fold(...history), { id: 's', at: NOW, coverMs: LOG_COVER_MS });
		expect(namesOf(fold(...history))).toEqual(['x', 'y']);
		expect(namesOf(fold(...history, snapshot))).toEqual(['x', 'y']);
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

describe('a compaction that goes wrong', () => {
	const failing = (store: Store, times: number) => {
		store.beforeAppend = (text) => {
			const { op } = decodeEntry(text) as JournalEntry;
			if (op === 'snapshot' && times-- > 0) throw new Error('ECONNRESET');
		};
	};

	it.each<[string, (store: Store) => void]>([
		[
			'deleting is done, but the answer comes too late',
			(store) => {
				store.clear = () => {
					store.texts.splice(0);
					throw new Error('no answer within 5 seconds');
				};
			},
		],
		[
			'deleting is refused',
			(store) => {
				store.clear = () => {
					throw new Error('permission denied');
				};
			},
		],
		['the first tries to write the snapshot fail', (store) => failing(store, 3)],
	])('loses nothing, and the entry is added all the same, when %s', async (_, breakIt) => {
		const store = new Store(old('a'), old('b'));
		breakIt(store);
		const view = await store.open().add(newEntry('c'));
		expect(namesOf(view)).toEqual(['a', 'b', 'c']);
		expect(store.ops()).toContain('snapshot');
		expect(namesOf(foldJournal(store.texts, NOW))).toEqual(['a', 'b', 'c']);
		expect(store.warnings).toEqual([]);
	});

	it('is told when the snapshot could not be written at all, and does not fail the adding', async () => {
		const store = new Store(old('a'), old('b'));
		failing(store, Infinity);
		const view = await store.open().add(newEntry('c'));
		expect(namesOf(view)).toEqual(['a', 'b', 'c']);
		expect(store.time - NOW).toBeLessThan(LOG_WRITE_MS + 2000);
		expect(store.warnings).toEqual([expect.stringMatching(/could not be written to while/)]);
	});

	it('does not fill a store that deletes nothing with snapshots', async () => {
		const store = new Store(old('a'), old('b'));
		store.clear = () => undefined;
		for (let index = 0; index < 100; index++) {
			store.time += COMPACT_AFTER_MS;
			await store.open().add({ op: 'forget', ...SCOPE, name: 'a' });
		}
		expect(store.ops().filter((op) => op === 'snapshot').length).toBeLessThan(8);
	});

	it('is told of when entries stand in its way that cannot be read', async () => {
		const store = new Store(old('a'), old('b'));
		store.texts.push('agent-skills/2 {}');
		await store.open().add(newEntry('c'));
		expect(store.warnings).toEqual([expect.stringMatching(/this version cannot read/)]);
	});
});

describe('adding', () => {
	it('waits for the snapshot when all that was known is gone', async () => {
		const store = new Store(old('a'), old('b'));
		const log = store.open(99);
		const before = await log.look();
		const snapshot = snapshotOf(before, { id: 's', at: NOW, coverMs: LOG_COVER_MS });
		store.texts.length = 0;
		let reads = 0;
		store.beforeRead = () => {
			if (reads++ === 3) store.texts.push(encodeEntry(snapshot));
		};
		const entry = { ...newEntry('c'), max: 2 };
		expect(namesOf(await log.add(entry, before))).toEqual(['a', 'b']);
	});

	it('takes its time before it adds again, for a store that shows entries a second later', async () => {
		const store = new Store();
		const shown: string[] = [];
		const { log } = store;
		const lagging: TextLog = {
			...log,
			read: async () => (store.time - NOW < 1000 ? shown : await log.read()),
		};
		const view = await new SharedLog(lagging, store.clock).add(newEntry('a'));
		expect(namesOf(view)).toEqual(['a']);
		expect(store.texts.length).toBeLessThan(10);
	});

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
