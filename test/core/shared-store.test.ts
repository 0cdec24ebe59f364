import { encodeEntry, foldJournal } from '../../nodes/core/journal';
import {
	EXECUTION_SNAPSHOT_MS,
	SESSION_TOUCH_MS,
	SHARED_STATE_SLOW_MS,
	SHARED_STATE_SLOW_TOTAL_MS,
} from '../../nodes/core/limits';
import type { LoadedSkill } from '../../nodes/core/schema';
import { ForeignLogError, SharedLog, type TextLog } from '../../nodes/core/shared-log';
import {
	createSharedStore,
	newSharedMemory,
	newSharedPlace,
	type SharedMemory,
} from '../../nodes/core/shared-store';

const NOW = 1_700_000_000_000;
const SCOPE = { state: 'skills', session: 'one' };

let time: number;
let texts: string[];
let reads: number;
let failure: Error | undefined;
let readMs: number;

const log: TextLog = {
	read: async () => {
		reads++;
		time += readMs;
		if (failure) throw failure;
		return [...texts];
	},
	append: async (text) => {
		if (failure) throw failure;
		texts.push(text);
	},
	clear: async () => void texts.splice(0),
};
const clock = {
	now: () => time,
	wait: async (ms: number) => void (time += ms),
	chance: () => 1,
};

const skill = (name: string, more: Partial<LoadedSkill> = {}): LoadedSkill => ({
	name,
	hash: 'h1',
	at: time,
	execution: 'run-1',
	resources: [],
	...more,
});
const names = (loaded: LoadedSkill[]) => loaded.map(({ name }) => name);
/** The store as one execution sees it. */
const open = (
	memory: SharedMemory = newSharedMemory(),
	onDown: (error: unknown, isSlow: boolean) => void = fail,
	scope = SCOPE,
) => createSharedStore(new SharedLog(log, clock), scope, memory, onDown, clock.now);
const fail = (error: unknown) => {
	throw error;
};

beforeEach(() => {
	time = NOW;
	texts = [];
	reads = 0;
	failure = undefined;
	readMs = 0;
});

it('a skill that was loaded is seen by another process', async () => {
	expect(await open().record(skill('a'), 1)).toMatchObject({ outcome: 'new' });
	expect(names(await open().read())).toEqual(['a']);
});

it('looks at the log once for all that an execution asks in a moment, then again', async () => {
	const memory = newSharedMemory();
	await open(memory).read();
	await open(memory).read();
	expect(reads).toBe(1);
	time += EXECUTION_SNAPSHOT_MS + 1;
	await open(memory).read();
	expect(reads).toBe(2);
});

it('looks again before it says that all slots are taken', async () => {
	await open().record(skill('a'), 1);
	const memory = newSharedMemory();
	await open(memory).read();
	await open().forget('a');
	expect(await open(memory).record(skill('b'), 1)).toMatchObject({ outcome: 'new' });
	expect(await open(memory).record(skill('c'), 1)).toMatchObject({ outcome: 'full' });
});

it('of two that load the same skill at once, one is told that it has it already', async () => {
	const memory = newSharedMemory();
	const outcomes = await Promise.all([
		open(memory).record(skill('a'), 1),
		open(memory).record(skill('a'), 1),
	]);
	expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['already', 'new']);
});

it('a slow answer is not out of date when it comes', async () => {
	const memory = newSharedMemory();
	readMs = EXECUTION_SNAPSHOT_MS + 100;
	await open(memory).read();
	await open(memory).read();
	expect(reads).toBe(1);
});

it('the log never holds the id of a session', async () => {
	await open(undefined, undefined, { state: 'skills', session: 'session:chat-7' }).record(
		skill('a'),
		1,
	);
	await open(undefined, undefined, { state: 'skills', session: 'session:chat-7' }).forget('a');
	expect(texts).toHaveLength(2);
	expect(texts.join()).not.toContain('chat-7');
});

describe('a skill of an earlier execution', () => {
	const later = { execution: 'run-2' };
	beforeEach(async () => void (await open().record(skill('a'), 1)));

	it('is renewed for this execution alone, without an entry', async () => {
		const memory = newSharedMemory();
		expect(await open(memory).record(skill('a', later), 1)).toMatchObject({ outcome: 'renewed' });
		expect(await open(memory).record(skill('a', later), 1)).toMatchObject({ outcome: 'already' });
		expect((await open(memory).read())[0]).toMatchObject(later);
		expect((await open().read())[0]).toMatchObject({ execution: 'run-1' });
		expect(texts).toHaveLength(1);
	});

	it('is given to one of two calls that ask for it at once', async () => {
		const memory = newSharedMemory();
		await open(memory).read();
		const ask = async () => await open(memory).record(skill('a', later), 1);
		const outcomes = await Promise.all([ask(), ask()]);
		expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['already', 'renewed']);
	});

	it.each([
		['its text has changed', { hash: 'h2' }, 0],
		['it is pinned now', { pinned: true }, 0],
		['its entry is old, so that the session is not dropped as idle', {}, SESSION_TOUCH_MS + 1],
	])('gets a new entry when %s', async (_, more, passed) => {
		time += passed;
		await open().record(skill('a', { ...later, ...more }), 1);
		expect(texts).toHaveLength(2);
		expect((await open().read())[0]).toMatchObject({ ...later, ...more });
	});

	it('is forgotten by all, once', async () => {
		expect(await open().forget('a')).toBe(true);
		expect(await open().forget('a')).toBe(false);
		expect(texts).toHaveLength(2);
		expect(await open().read()).toEqual([]);
	});
});

it('a pin is known in this execution, takes no slot and leaves no entry', async () => {
	const memory = newSharedMemory();
	await open(memory).record(skill('pin', { pinned: true }), 1);
	expect(await open(memory).record(skill('a'), 1)).toMatchObject({ outcome: 'new' });
	expect(names(await open(memory).read())).toEqual(['a', 'pin']);
	expect(await open(memory).forget('pin')).toBe(true);
	expect(names(await open(memory).read())).toEqual(['a']);
	expect(texts).toHaveLength(1);
});

it('no limit of slots can be stored', async () => {
	await open().record(skill('a'), Number.POSITIVE_INFINITY);
	expect(texts[0]).not.toContain('"max"');
	expect(foldJournal(texts, NOW).sessions.size).toBe(1);
});

describe('when the log fails', () => {
	it('the execution goes on with what it knows, tells once, and asks no more', async () => {
		const memory = newSharedMemory();
		const told: unknown[] = [];
		const store = open(memory, (error) => told.push(error));
		await store.record(skill('a'), 2);
		failure = new Error('gone');
		expect(await store.record(skill('b'), 2)).toMatchObject({ outcome: 'new' });
		failure = undefined;
		const before = reads;
		expect(await open(memory, fail).record(skill('c'), 2)).toMatchObject({ outcome: 'full' });
		expect(names(await store.read())).toEqual(['a', 'b']);
		expect(await store.forget('a')).toBe(true);
		expect(reads).toBe(before);
		expect(told).toEqual([new Error('gone')]);
	});

	it('at once nothing counts as loaded', async () => {
		await open().record(skill('a'), 2);
		failure = new Error('gone');
		expect(await open(newSharedMemory(), () => undefined).read()).toEqual([]);
	});

	it('two calls at once tell once', async () => {
		failure = new Error('gone');
		let told = 0;
		const memory = newSharedMemory();
		const store = open(memory, () => told++);
		await Promise.all([store.record(skill('a'), 2), store.record(skill('b'), 2)]);
		expect(told).toBe(1);
		expect(names(await store.read())).toEqual(['a', 'b']);
	});
});

describe('a store that was slow to fail', () => {
	const other = { state: 'skills', session: 'two' };
	const slowly = () => {
		readMs = SHARED_STATE_SLOW_MS;
		failure = new Error('no answer');
	};

	it('is not asked by another session of the execution either', async () => {
		slowly();
		const place = newSharedPlace();
		const told: Array<[unknown, boolean]> = [];
		const note = (error: unknown, isSlow: boolean) => told.push([error, isSlow]);
		await open(newSharedMemory(place), note).read();
		await open(newSharedMemory(place), note, other).read();
		expect(reads).toBe(1);
		expect(told).toEqual([
			[new Error('no answer'), true],
			[new Error('it did not answer before'), false],
		]);
	});

	it('is asked by it when the failure was quick: its key may be another', async () => {
		failure = new Error('No session ID found');
		const place = newSharedPlace();
		await open(newSharedMemory(place), () => undefined).read();
		await open(newSharedMemory(place), () => undefined, other).read();
		expect(reads).toBe(2);
	});

	it('counts as down once its slow answers took too long in all', async () => {
		const place = { ...newSharedPlace(), slowMs: SHARED_STATE_SLOW_TOTAL_MS + 1 };
		const told: unknown[] = [];
		await open(newSharedMemory(place), (error) => told.push(error)).record(skill('a'), 1);
		expect([reads, place.isDown]).toEqual([0, true]);
		expect(told.join()).toContain('its slow answers took more than 15 seconds');
	});
});

it('a conversation of somebody is left alone, for this session', async () => {
	texts = [encodeEntry({ op: 'compact', id: 'x', at: NOW }), 'Hello'];
	readMs = SHARED_STATE_SLOW_MS;
	const place = newSharedPlace();
	const told: unknown[] = [];
	const store = open(newSharedMemory(place), (error) => told.push(error));
	expect(await store.read()).toEqual([]);
	expect(await store.record(skill('a'), 1)).toMatchObject({ outcome: 'new' });
	expect(told).toEqual([expect.any(ForeignLogError)]);
	expect([texts.length, place.isDown]).toEqual([2, false]);
});
