import { encodeEntry, foldJournal } from '../../nodes/core/journal';
import { EXECUTION_SNAPSHOT_MS, SESSION_TOUCH_MS } from '../../nodes/core/limits';
import type { LoadedSkill } from '../../nodes/core/schema';
import { ForeignLogError, SharedLog, type TextLog } from '../../nodes/core/shared-log';
import {
	createSharedStore,
	newSharedMemory,
	type SharedMemory,
} from '../../nodes/core/shared-store';

const NOW = 1_700_000_000_000;
const SCOPE = { state: 'skills', session: 'one' };

let time: number;
let texts: string[];
let reads: number;
let failure: Error | undefined;

const log: TextLog = {
	read: async () => {
		reads++;
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
const open = (memory: SharedMemory = newSharedMemory(), onDown: (error: unknown) => void = fail) =>
	createSharedStore(new SharedLog(log, clock), SCOPE, memory, onDown, clock.now);
const fail = (error: unknown) => {
	throw error;
};

beforeEach(() => {
	time = NOW;
	texts = [];
	reads = 0;
	failure = undefined;
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

it('a conversation of somebody is no failure: it is refused', async () => {
	texts = [encodeEntry({ op: 'compact', id: 'x', at: NOW }), 'Hello'];
	await expect(open().read()).rejects.toThrow(ForeignLogError);
});
