import { messageOf, SkillError } from '../../nodes/core/errors';
import { LruMap } from '../../nodes/core/lru';
import { mapParallel } from '../../nodes/core/parallel';
import { estimateTokens } from '../../nodes/core/tokens';

describe('LruMap', () => {
	it('makes a value once and gives it back', () => {
		const map = new LruMap<string, object>(2);
		const first = map.getOrCreate('a', () => ({}));
		expect(map.getOrCreate('a', () => ({}))).toBe(first);
		expect(map.size).toBe(1);
	});

	it('forgets what was not used for longest', () => {
		const map = new LruMap<string, string>(2);
		map.getOrCreate('a', () => 'first');
		map.getOrCreate('b', () => 'first');
		map.getOrCreate('a', () => 'again');
		map.getOrCreate('c', () => 'first');
		expect(map.size).toBe(2);
		expect(map.getOrCreate('a', () => 'again')).toBe('first');
		expect(map.getOrCreate('b', () => 'again')).toBe('again');
	});

	it('makes a value once even when it is undefined', () => {
		const map = new LruMap<string, undefined>(1);
		let made = 0;
		const make = () => {
			made++;
			return undefined;
		};
		map.getOrCreate('a', make);
		map.getOrCreate('a', make);
		expect(made).toBe(1);
	});

	it('can be cleared', () => {
		const map = new LruMap<string, number>(2);
		map.getOrCreate('a', () => 1);
		map.clear();
		expect(map.size).toBe(0);
	});
});

describe('mapParallel', () => {
	const later = async (ms: number) => await new Promise((done) => setTimeout(done, ms));

	it('keeps the order, whatever ends first', async () => {
		const results = await mapParallel([3, 1, 2], async (value) => {
			await later(value * 3);
			return value;
		});
		expect(results).toEqual([3, 1, 2]);
	});

	it('has no more than the limit under way', async () => {
		let now = 0;
		let most = 0;
		await mapParallel(
			Array.from({ length: 20 }, (_, index) => index),
			async () => {
				most = Math.max(most, ++now);
				await later(1);
				now--;
			},
			4,
		);
		expect(most).toBe(4);
	});

	it('gives nothing for nothing', async () => {
		expect(await mapParallel([], async () => 1)).toEqual([]);
	});

	it('passes an error on', async () => {
		const task = async () => {
			throw new Error('no');
		};
		await expect(mapParallel([1], task)).rejects.toThrow('no');
	});
});

describe('estimateTokens', () => {
	it.each([
		['', 0],
		['abcd', 1],
		['abcde', 2],
		['日本語', 3],
		['abcd日', 2],
	])('%j has about %d', (text, tokens) => expect(estimateTokens(text)).toBe(tokens));
});

it('messageOf takes whatever was thrown', () => {
	expect(messageOf(new SkillError('source-blocked', 'text', 'hint'))).toBe('text');
	expect(messageOf('text')).toBe('text');
	expect(messageOf(undefined)).toBe('undefined');
});
