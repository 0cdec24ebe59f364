import fc from 'fast-check';

import { diffLines } from '../../nodes/core/diff';

const shown = (before: string, after: string) =>
	diffLines(before, after)
		.map(({ kind, text }) => kind + text.trimEnd())
		.join(' ');

it.each([
	['', '', ''],
	['a\n', 'a\n', ' a'],
	['', 'a\n', '+a'],
	['a\n', '', '-a'],
	['a\nb\nc\n', 'a\nx\nc\n', ' a -b +x  c'],
	['a\nb\nc\nd\n', 'b\nc\nX\nd\n', '-a  b  c +X  d'],
	['a\n', 'a', '-a +a'],
])('%j to %j', (before, after, expected) => {
	expect(shown(before, after)).toBe(expected);
});

it('is the shortest: one line that moved is one that goes and one that comes', () => {
	const before = ['x', ...'abcdefgh'].join('\n');
	const after = [...'abcd', 'x', ...'efgh'].join('\n');
	expect(diffLines(before, after).filter(({ kind }) => kind !== ' ')).toHaveLength(2);
});

it('property: the lines give back both texts', () => {
	const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd'), { maxLength: 30 });
	fc.assert(
		fc.property(text, text, (a, b) => {
			const [before, after] = [a.join(''), b.join('')];
			const lines = diffLines(before, after);
			const side = (other: string) =>
				lines.flatMap((line) => (line.kind === other ? [] : [line.text])).join('');
			expect(side('+')).toBe(before);
			expect(side('-')).toBe(after);
		}),
		{ numRuns: 1000 },
	);
});

it('texts that differ in everything are told as replaced, in a moment', () => {
	const many = (word: string) =>
		Array.from({ length: 20_000 }, (_, at) => `${word}${at}\n`).join('');
	const lines = diffLines(`start\n${many('a')}end\n`, `start\n${many('b')}end\n`);
	expect(lines[0]).toEqual({ kind: ' ', text: 'start\n' });
	expect(lines.filter(({ kind }) => kind === '+')).toHaveLength(20_000);
	expect(lines.at(-1)).toEqual({ kind: ' ', text: 'end\n' });
});
