import {
	MAX_LOADED_PER_SESSION,
	MAX_SESSIONS,
	MAX_STATE_BYTES,
	SESSION_IDLE_MS,
	SESSION_TOUCH_MS,
} from '../../nodes/core/limits';
import {
	createLoadedStore,
	isSameDelivery,
	mergeSessions,
	parseState,
	scopeKey,
	serializeState,
	shortSession,
	type Sessions,
} from '../../nodes/core/loaded';
import { storedStateSchema, type LoadedSkill, type SessionState } from '../../nodes/core/schema';
import { newStore, SCOPE } from './support';

const NOW = 1_700_000_000_000;

const entry = (name: string, more: Partial<LoadedSkill> = {}): LoadedSkill => ({
	name,
	hash: 'h1',
	at: NOW,
	execution: 'run-1',
	resources: [],
	...more,
});
const session = (id: string, touched: number, loaded: LoadedSkill[] = []): SessionState => ({
	state: 'skills',
	session: id,
	touched,
	loaded,
});
const sessions = (...list: SessionState[]): Sessions =>
	new Map(list.map((one) => [scopeKey(one), one]));
const names = (loaded: LoadedSkill[]) => loaded.map((one) => one.name);

describe('record', () => {
	it('takes a slot and tells what is loaded', async () => {
		const store = newStore();
		expect(await store.record(entry('a'), 2)).toMatchObject({ outcome: 'new' });
		const { loaded } = await store.record(entry('b'), 2);
		expect(names(loaded)).toEqual(['a', 'b']);
		expect(names(await store.read())).toEqual(['a', 'b']);
	});

	it('says when all slots are taken, and takes none', async () => {
		const store = newStore();
		await store.record(entry('a'), 1);
		const full = await store.record(entry('b'), 1);
		expect([full.outcome, names(full.loaded)]).toEqual(['full', ['a']]);
		expect(names(await store.read())).toEqual(['a']);
	});

	it('the same text in the same execution is there already', async () => {
		const store = newStore();
		await store.record(entry('a'), 1);
		expect(await store.record(entry('a'), 1)).toMatchObject({ outcome: 'already' });
	});

	it.each([
		['in another execution', { execution: 'run-2' }],
		['with another text', { hash: 'h2' }],
	])('%s it is renewed in its slot, even when all are taken', async (_, more) => {
		const store = newStore();
		await store.record(entry('a'), 2);
		await store.record(entry('b'), 2);
		const renewed = await store.record(entry('a', more), 2);
		expect(renewed).toMatchObject({ outcome: 'renewed', previous: { hash: 'h1' } });
		expect(names(await store.read())).toEqual(['a', 'b']);
		expect((await store.read())[0]).toMatchObject(more);
	});

	it('without an execution nothing counts as delivered', async () => {
		const store = newStore();
		await store.record(entry('a', { execution: '' }), 1);
		expect(await store.record(entry('a', { execution: '' }), 1)).toMatchObject({
			outcome: 'renewed',
		});
		expect(isSameDelivery(entry('a', { execution: '' }), { execution: '', hash: 'h1' })).toBe(
			false,
		);
	});

	it('pinned skills take no slot', async () => {
		const store = newStore();
		await store.record(entry('pin', { pinned: true }), 1);
		expect(await store.record(entry('a'), 1)).toMatchObject({ outcome: 'new' });
		expect(await store.record(entry('pin2', { pinned: true }), 1)).toMatchObject({
			outcome: 'new',
		});
	});

	it('one that was pinned needs a slot when it is loaded by choice', async () => {
		const store = newStore();
		await store.record(entry('a'), 1);
		await store.record(entry('b', { pinned: true }), 1);
		const later = { execution: 'run-2' };
		expect(await store.record(entry('b', later), 1)).toMatchObject({ outcome: 'full' });
		expect(await store.record(entry('b', later), 2)).toMatchObject({ outcome: 'renewed' });
	});

	it('calls at the same time never take more slots than there are', async () => {
		const store = newStore();
		const calls = Array.from({ length: 50 }, (_, index) => store.record(entry(`s${index}`), 7));
		const outcomes = (await Promise.all(calls)).map((one) => one.outcome);
		expect(outcomes.filter((one) => one === 'new')).toHaveLength(7);
		expect(outcomes.filter((one) => one === 'full')).toHaveLength(43);
		expect(await store.read()).toHaveLength(7);
	});

	it('checks and takes before it first gives up control', () => {
		const live: Sessions = new Map();
		const store = newStore(live);
		void store.record(entry('a'), 1);
		void store.record(entry('b'), 1);
		expect(names(live.get(scopeKey(SCOPE))?.loaded ?? [])).toEqual(['a']);
	});
});

describe('forget', () => {
	it('frees the slot', async () => {
		const store = newStore();
		await store.record(entry('a'), 1);
		expect(await store.forget('a')).toBe(true);
		expect(await store.read()).toEqual([]);
		expect(await store.record(entry('b'), 1)).toMatchObject({ outcome: 'new' });
	});

	it('says when there was nothing to forget', async () => {
		expect(await newStore().forget('a')).toBe(false);
	});
});

describe('scopes', () => {
	it('sessions do not mix, nor do agents with other state names', async () => {
		const live: Sessions = new Map();
		await newStore(live, { state: 'a', session: '1' }).record(entry('x'), 1);
		expect(await newStore(live, { state: 'a', session: '2' }).read()).toEqual([]);
		expect(await newStore(live, { state: 'b', session: '1' }).read()).toEqual([]);
		expect(names(await newStore(live, { state: 'a', session: '1' }).read())).toEqual(['x']);
	});

	it('keys cannot be forged by joining', () => {
		expect(scopeKey({ state: 'a","b', session: 'c' })).not.toBe(
			scopeKey({ state: 'a', session: 'b","c' }),
		);
	});

	it('a long session is stored as its hash, a short one as it is', () => {
		expect(shortSession('x'.repeat(128))).toBe('x'.repeat(128));
		const hashed = shortSession('x'.repeat(129));
		expect(hashed).toMatch(/^sha256:[0-9a-f]{64}$/);
		expect(shortSession('x'.repeat(130))).not.toBe(hashed);
	});
});

describe('saving', () => {
	it('follows every change and no mere look', async () => {
		let saves = 0;
		const store = createLoadedStore(new Map(), SCOPE, () => saves++);
		await store.read();
		await store.forget('a');
		expect(saves).toBe(0);
		await store.record(entry('a'), 1);
		await store.record(entry('a'), 1);
		await store.record(entry('b'), 1);
		expect(saves).toBe(1);
		await store.read();
		await store.forget('a');
		expect(saves).toBe(2);
	});

	it('a look renews the age of a session now and then, so that a live one is not dropped', async () => {
		let now = NOW;
		const live: Sessions = new Map();
		const store = createLoadedStore(
			live,
			SCOPE,
			() => undefined,
			() => now,
		);
		await store.record(entry('a'), 1);
		now += SESSION_TOUCH_MS + 1;
		await store.read();
		expect(live.get(scopeKey(SCOPE))?.touched).toBe(now);
	});

	it('what is read can be changed without changing the state', async () => {
		const store = newStore();
		await store.record(entry('a'), 1);
		(await store.read()).pop();
		expect(await store.read()).toHaveLength(1);
	});
});

describe('serializeState', () => {
	it('gives plain data of the current version, which the schema takes', () => {
		const stored = serializeState(sessions(session('1', NOW, [entry('a')])), NOW);
		expect(storedStateSchema.parse(JSON.parse(JSON.stringify(stored)))).toEqual(stored);
		expect(stored.version).toBe(1);
	});

	it('gives a copy: later changes do not reach it', async () => {
		const live = sessions(session('1', NOW, [entry('a')]));
		const stored = serializeState(live, NOW);
		stored.sessions[0].loaded[0].name = 'changed';
		expect([...live.values()][0].loaded[0].name).toBe('a');
	});

	it('drops sessions that were idle for too long', () => {
		const live = sessions(session('old', NOW - SESSION_IDLE_MS - 1), session('new', NOW - 1));
		expect(serializeState(live, NOW).sessions.map((one) => one.session)).toEqual(['new']);
		expect(live.size).toBe(1);
	});

	it('drops the oldest past the count', () => {
		const many = Array.from({ length: MAX_SESSIONS + 5 }, (_, index) =>
			session(`s${index}`, NOW - index),
		);
		const kept = serializeState(sessions(...many), NOW).sessions.map((one) => one.session);
		expect(kept).toHaveLength(MAX_SESSIONS);
		expect(kept).toContain('s0');
		expect(kept).not.toContain(`s${MAX_SESSIONS}`);
	});

	it('stays under the limit of bytes; the newest stay', () => {
		const wide = (id: number) =>
			session(
				`s${id}`,
				NOW - id,
				Array.from({ length: 10 }, (_, index) => entry(`${'é'.repeat(60)}${index}`)),
			);
		const stored = serializeState(
			sessions(...Array.from({ length: 200 }, (_, id) => wide(id))),
			NOW,
		);
		expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThanOrEqual(MAX_STATE_BYTES);
		expect(stored.sessions.length).toBeGreaterThan(30);
		expect(stored.sessions.map((one) => one.session)).toContain('s0');
	});

	it('a session with long lists of files loses those before another session is dropped', () => {
		const resources = Array.from({ length: 20 }, (_, index) => ({
			type: 'script' as const,
			path: `scripts/${'x'.repeat(180)}${index}`,
		}));
		const large = Array.from({ length: 30 }, (_, index) => entry(`s${index}`, { resources }));
		const small = Array.from({ length: 20 }, (_, id) => session(`${id}`, NOW - 1, [entry('a')]));
		const stored = serializeState(sessions(...small, session('large', NOW, large)), NOW);
		expect(stored.sessions).toHaveLength(21);
		expect(stored.sessions.at(-1)?.loaded).toHaveLength(30);
		expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThanOrEqual(MAX_STATE_BYTES);
	});

	it('a single huge session is made smaller, not dropped: its newest skills stay', () => {
		const resources = Array.from({ length: 20 }, (_, index) => ({
			type: 'script' as const,
			path: `scripts/${'x'.repeat(180)}${index}`,
		}));
		const loaded = Array.from({ length: 900 }, (_, index) => entry(`s${index}`, { resources }));
		const stored = serializeState(sessions(session('1', NOW, loaded)), NOW);
		expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThanOrEqual(MAX_STATE_BYTES);
		expect(stored.sessions[0].loaded.at(-1)).toMatchObject({ name: 's899', resources: [] });
		expect(stored.sessions[0].loaded.length).toBeGreaterThan(100);
	});
});

describe('parseState', () => {
	const good = session('1', NOW, [entry('a')]);

	it('reads what was written', () => {
		const live = sessions(good, session('2', NOW, [entry('b', { pinned: true })]));
		const stored = JSON.parse(JSON.stringify(serializeState(live, NOW))) as unknown;
		expect(parseState(stored)).toEqual({ sessions: live, dropped: 0 });
	});

	it.each([[undefined], [null]])('%s is an empty state, not a damaged one', (stored) => {
		expect(parseState(stored)).toEqual({ sessions: new Map(), dropped: 0 });
	});

	it.each([['text'], [7], [true], [[]], [{}], [{ version: 1 }], [{ sessions: 'x' }]])(
		'%j is damaged: nothing counts as loaded',
		(stored) => {
			expect(parseState(stored)).toEqual({ sessions: new Map(), dropped: 1 });
		},
	);

	it('reads another version as far as it can be, and says so', () => {
		const { sessions: read, dropped } = parseState({ version: 99, sessions: [good, { new: 1 }] });
		expect([...read.values()]).toEqual([good]);
		expect(dropped).toBe(2);
	});

	it.each([
		['null', null],
		['a text', 'x'],
		['no list of skills', { ...good, loaded: 'x' }],
		['no session', { ...good, session: undefined }],
		['a time that is none', { ...good, touched: 'yesterday' }],
	])('a session that is %s is left out, others stay', (_, bad) => {
		const { sessions: read, dropped } = parseState({ version: 1, sessions: [bad, good] });
		expect([...read.values()]).toEqual([good]);
		expect(dropped).toBe(1);
	});

	it('a damaged skill is left out, others of its session stay', () => {
		const damaged = {
			...good,
			loaded: [entry('a'), { name: 'b' }, 7, entry('c', { hash: 5 as never })],
		};
		const { sessions: read, dropped } = parseState({ version: 1, sessions: [damaged] });
		expect(names([...read.values()][0].loaded)).toEqual(['a']);
		expect(dropped).toBe(3);
	});

	it('a session with too many skills keeps none rather than harm', () => {
		const loaded = Array.from({ length: MAX_LOADED_PER_SESSION + 1 }, (_, i) => entry(`s${i}`));
		expect(parseState({ version: 1, sessions: [{ ...good, loaded }] }).dropped).toBe(1);
	});

	it('keys such as __proto__ harm nothing', () => {
		const stored = JSON.parse('{"version":1,"sessions":[],"__proto__":{"polluted":1}}') as unknown;
		expect(parseState(stored).dropped).toBe(0);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});
});

describe('mergeSessions', () => {
	it('takes what is new or newer, and keeps what is newer here', () => {
		const live = sessions(session('a', 10, [entry('live')]), session('b', 10, [entry('live')]));
		mergeSessions(
			live,
			sessions(
				session('a', 5, [entry('stored')]),
				session('b', 20, [entry('stored')]),
				session('c', 1, [entry('stored')]),
			),
		);
		expect([...live.values()].map((one) => [one.session, one.loaded[0].name])).toEqual([
			['a', 'live'],
			['b', 'stored'],
			['c', 'stored'],
		]);
	});
});
