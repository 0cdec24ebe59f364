import { FAILURE_PAUSE_MS, MAX_REMOTE_PLACES } from '../../nodes/core/limits';
import {
	clearRemoteCache,
	ContentCache,
	expire,
	lastAnswer,
	remembered,
} from '../../nodes/core/remote';

beforeEach(clearRemoteCache);

/** A clock that a test moves, and a place that counts how often it is asked. */
function world() {
	const state = { now: 1_000_000, asked: 0, previous: [] as unknown[], fails: false };
	const ask = async (maxAgeMs = 1000, key = 'place') =>
		await remembered<number>(
			key,
			maxAgeMs,
			async (previous) => {
				state.asked++;
				state.previous.push(previous);
				if (state.fails) throw new Error(`down ${state.asked}`);
				return state.asked;
			},
			() => state.now,
		);
	return { state, ask };
}

describe('remembered', () => {
	it('asks once, and again when the answer is too old, with the previous one', async () => {
		const { state, ask } = world();
		expect([await ask(), await ask()]).toEqual([1, 1]);
		state.now += 1000;
		expect(await ask()).toBe(2);
		expect(state.previous).toEqual([undefined, 1]);
	});

	it('with an age of 0 asks every time', async () => {
		const { ask } = world();
		expect([await ask(0), await ask(0)]).toEqual([1, 2]);
	});

	it('asks once for calls at the same time', async () => {
		const { ask } = world();
		expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
	});

	it('after a failure fails at once for a while, then asks again', async () => {
		const { state, ask } = world();
		state.fails = true;
		await expect(ask()).rejects.toThrow('down 1');
		await expect(ask()).rejects.toThrow('down 1');
		state.fails = false;
		state.now += FAILURE_PAUSE_MS;
		expect(await ask()).toBe(2);
		state.now += 1000;
		expect(await ask()).toBe(3);
	});

	it('keeps the last answer through a failure, for whom an old one will do', async () => {
		const { state, ask } = world();
		await ask();
		state.fails = true;
		state.now += 1000;
		await expect(ask()).rejects.toThrow('down 2');
		expect(lastAnswer('place')).toBe(1);
		expect(lastAnswer('other')).toBeUndefined();
	});

	it('asks again once told that the answer no longer holds', async () => {
		const { ask } = world();
		await ask();
		expire('place');
		expire('other');
		expect(await ask()).toBe(2);
	});

	it('keeps places apart, and forgets those not asked for longest', async () => {
		const { ask } = world();
		for (let n = 0; n <= MAX_REMOTE_PLACES; n++) await ask(1000, `place ${n}`);
		expect(lastAnswer('place 0')).toBeUndefined();
		expect(lastAnswer('place 1')).toBe(2);
	});
});

describe('ContentCache', () => {
	const cache = () => new ContentCache<string>(10, (text) => text.length);
	const made: string[] = [];
	const get = async (from: ContentCache<string>, text: string) =>
		await from.get(text, async () => {
			made.push(text);
			return text;
		});

	beforeEach(() => made.splice(0));

	it('makes a value once, also for calls at the same time', async () => {
		const one = cache();
		await Promise.all([get(one, 'abc'), get(one, 'abc')]);
		await get(one, 'abc');
		expect(made).toEqual(['abc']);
	});

	it('forgets what was not used for longest when it is full', async () => {
		const one = cache();
		for (const text of ['aaaa', 'bbbb', 'aaaa', 'cccc', 'aaaa', 'bbbb']) await get(one, text);
		expect(made).toEqual(['aaaa', 'bbbb', 'cccc', 'bbbb']);
	});

	it('gives a value that is too large, and does not keep it', async () => {
		const one = cache();
		expect(await get(one, 'x'.repeat(11))).toHaveLength(11);
		await get(one, 'x'.repeat(11));
		expect(made).toHaveLength(2);
	});

	it('counts what was forgotten no longer', async () => {
		const one = cache();
		await get(one, 'x'.repeat(11));
		await get(one, 'aaaa');
		await get(one, 'aaaa');
		expect(made).toEqual(['x'.repeat(11), 'aaaa']);
	});

	it('keeps no failure', async () => {
		const one = cache();
		await expect(one.get('k', async () => await Promise.reject(new Error('no')))).rejects.toThrow();
		expect(await one.get('k', async () => 'now')).toBe('now');
	});

	it('forgets everything when told', async () => {
		const one = cache();
		await get(one, 'abc');
		one.clear();
		await get(one, 'abc');
		expect(made).toEqual(['abc', 'abc']);
	});
});
