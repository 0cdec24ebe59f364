import fc from 'fast-check';

import { matchesPattern, nameFilter, patternList } from '../../nodes/core/pattern';

describe('matchesPattern', () => {
	it.each([
		['pdf', 'pdf'],
		['pdf', 'PDF'],
		['pdf-tools', 'pdf-*'],
		['pdf-tools', '*tools'],
		['pdf-tools', '*f-t*'],
		['pdf', '*'],
		['pdf', 'p?f'],
		['', '*'],
		['😀', '?'],
		['a.b', 'a.b'],
	])('%j fits %j', (name, pattern) => expect(matchesPattern(name, pattern)).toBe(true));

	it.each([
		['pdf-tools', 'pdf'],
		['pdf', 'pdf-*'],
		['pdf', '??'],
		['', '?'],
		['pdf', ''],
		['axb', 'a.b'],
		['b', '[a-c]'],
	])('%j does not fit %j', (name, pattern) => expect(matchesPattern(name, pattern)).toBe(false));

	it('property: agrees with the regular expression of the same meaning', () => {
		const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', '😀'), maxLength: 12 });
		const glob = fc.string({ unit: fc.constantFrom('a', 'b', '-', '*', '?'), maxLength: 8 });
		fc.assert(
			fc.property(name, glob, (text, pattern) => {
				const source = pattern.replaceAll('*', '.*').replaceAll('?', '.');
				expect(matchesPattern(text, pattern)).toBe(new RegExp(`^${source}$`, 'su').test(text));
			}),
			{ numRuns: 1000 },
		);
	});

	it('takes no time for what would take a regular expression for ever', () => {
		const started = performance.now();
		expect(matchesPattern('a'.repeat(2000), `${'*a'.repeat(500)}b`)).toBe(false);
		expect(performance.now() - started).toBeLessThan(2000);
	});
});

it('patterns are parted by commas or lines', () => {
	expect(patternList('a, b\n\n c ,,d')).toEqual(['a', 'b', 'c', 'd']);
	expect(patternList(' ')).toEqual([]);
});

it('a filter takes all without patterns, and exclude wins over include', () => {
	expect(nameFilter([], [])('x')).toBe(true);
	const filter = nameFilter(['pdf-*', 'git'], ['*-old']);
	expect(['pdf-a', 'git', 'pdf-old', 'xlsx'].map(filter)).toEqual([true, true, false, false]);
});
