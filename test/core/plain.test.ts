import fc from 'fast-check';

import { parsePlainMapping } from '../../nodes/core/plain';
import { parseYamlMapping } from '../../nodes/core/yaml';
import { REAL_HEADERS } from './real-headers';

const RUNS = 8000;

/** Gives back what `yaml` makes of a header, null where it refuses it. */
function byYaml(header: string): Map<string, unknown> | null {
	const parsed = parseYamlMapping(header);
	return 'values' in parsed ? parsed.values : null;
}

/** Fails where the fast path claims to understand a header and `yaml` reads another one. */
function expectEqual(header: string): boolean {
	const plain = parsePlainMapping(header);
	if (plain !== null) expect([header, plain]).toEqual([header, byYaml(header)]);
	return plain !== null;
}

describe('headers as public files have them', () => {
	it.each(REAL_HEADERS)('are read as `yaml` reads them: %j', ({ header }) => {
		expectEqual(header);
	});

	it('are nearly all understood without `yaml`, and only those that are plain', () => {
		const understood = (header: string) => parsePlainMapping(header) !== null;
		expect(REAL_HEADERS.map(({ header }) => understood(header))).toEqual(
			REAL_HEADERS.map(({ isPlain }) => isPlain),
		);
	});
});

describe('thousands of generated headers are read as `yaml` reads them', () => {
	const key = fc.constantFrom(
		'name',
		'description',
		'allowed-tools',
		'metadata',
		'a_b',
		'X9',
		'tags',
		'version',
		'author',
		'é',
	);
	const usual = fc.constantFrom('Reads', 'PDF', 'a', '1.0', '0x1f', 'true', 'null', '2026-01-01');
	const unusual = fc.constantFrom(
		...['~', 'naïve', '日本', '😀', 'key: value', 'a:b', 'http://x.y/z', '# no', 'c#', '- x', '-'],
		...['?', '? q', ':', '::', '|', '>', '&a', '*a', '!t', '%d', '@at', '`tick`', '"q"', "'s'"],
		...["it's", '{a}', '[b]', ',', '<<', '---', '...', '=', '$', '\\n', '\\', '\t', '\u00a0'],
		...['\u2028', '\u0085', '\ufeff', '\u007f', '\u0000', '\u3000', '\u1680', '\u200b', '\ud800'],
	);
	const word = fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: unusual });
	const text = fc
		.array(word, { minLength: 1, maxLength: 5 })
		.chain((words) => fc.constantFrom(' ', '', '  ').map((space) => words.join(space)));
	const quoted = fc
		.tuple(text, fc.constantFrom('"', "'"))
		.map(([value, quote]) => quote + value + quote);
	const list = fc
		.array(fc.oneof(word, quoted), { maxLength: 4 })
		.map((all) => `[${all.join(', ')}]`);
	const inline = fc.oneof(
		text,
		text,
		quoted,
		list,
		fc.constantFrom('', '|', '>', '|-', '>-', '>+'),
	);
	const tail = fc.constantFrom('', '', '', ' ', ' # note', '\t', '\r');
	const line = fc.tuple(
		key,
		fc.constantFrom(': ', ': ', ': ', ': ', ':  ', ':', ' : ', ':\t'),
		inline,
		tail,
	);
	const pair = line.map((parts) => parts.join(''));
	const indent = fc.constantFrom('  ', '  ', '  ', ' ', '    ', '\t', '');
	const below = fc.tuple(
		indent,
		fc.oneof(
			pair,
			text,
			text.map((value) => `- ${value}`),
		),
	);
	const block = fc
		.tuple(
			pair,
			fc.array(
				below.map((parts) => parts.join('')),
				{ maxLength: 3 },
			),
		)
		.map(([first, rest]) => [first, ...rest].join('\n'));
	const other = fc.oneof(text, fc.constantFrom('', ' ', '# comment', '#', '\t'));
	const header = fc
		.array(fc.oneof({ weight: 6, arbitrary: block }, { weight: 1, arbitrary: other }), {
			minLength: 1,
			maxLength: 4,
		})
		.map((lines) => lines.join('\n'));

	it.each([
		['lines of every kind', header],
		['a single line', pair],
		['plain words', fc.tuple(key, text).map(([name, value]) => `${name}: ${value}`)],
		[
			'any text',
			fc.string({ unit: 'binary-ascii', maxLength: 12 }).map((value) => `name: ${value}`),
		],
	])('%s', (_, headers) => {
		let understood = 0;
		fc.assert(
			fc.property(headers, (one) => {
				if (expectEqual(one)) understood++;
			}),
			{ numRuns: RUNS, seed: 7 },
		);
		// Else the comparison would be about nothing.
		expect(understood).toBeGreaterThan(RUNS / 100);
	});

	it('broken and mended variants of real ones', () => {
		const edit = fc.tuple(fc.nat(), fc.nat(3), word);
		const edited = fc
			.tuple(fc.constantFrom(...REAL_HEADERS), fc.array(edit, { minLength: 1, maxLength: 2 }))
			.map(([{ header: whole }, edits]) =>
				edits.reduce((now, [at, length, put]) => {
					const start = at % (now.length + 1);
					return now.slice(0, start) + put + now.slice(start + length);
				}, whole),
			);
		fc.assert(
			fc.property(edited, (one) => void expectEqual(one)),
			{ numRuns: RUNS, seed: 11 },
		);
	});
});
