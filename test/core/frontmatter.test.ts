import { parseFrontmatter, splitSkill } from '../../nodes/core/frontmatter';
import { MAX_FRONTMATTER_BYTES } from '../../nodes/core/limits';

const PATH = '/skills/x/SKILL.md';

const parse = (text: string) => parseFrontmatter(splitSkill(text), PATH);
const valuesOf = (header: string) => parse(`---\n${header}\n---\nbody`);

describe('splitSkill', () => {
	it('parts header and body at whole lines', () => {
		expect(splitSkill('---\na: 1\n---\nbody\n')).toEqual({
			header: 'a: 1',
			body: 'body\n',
			unclosed: false,
			offset: 1,
		});
	});

	it.each([
		['CRLF', '---\r\na: 1\r\nb: 2\r\n---\r\nbody\r\nmore'],
		['old Mac line ends', '---\ra: 1\rb: 2\r---\rbody\rmore'],
		['a byte order mark', '\ufeff---\na: 1\nb: 2\n---\nbody\nmore'],
		['spaces after the fences', '---  \na: 1\nb: 2\n---\t\nbody\nmore'],
		['"..." as the end', '---\na: 1\nb: 2\n...\nbody\nmore'],
	])('accepts %s', (_, text) => {
		expect(splitSkill(text)).toMatchObject({ header: 'a: 1\nb: 2', body: 'body\nmore' });
	});

	it('accepts blank lines before the first fence and counts them', () => {
		expect(splitSkill('\n\n---\na: 1\n---\n')).toMatchObject({ header: 'a: 1', offset: 3 });
	});

	it.each(['--- a', '----', ' ---', '-- -', '---a: 1'])(
		'does not take the line %j for a fence',
		(line) => {
			expect(splitSkill(`${line}\na: 1\n---\nbody`).header).toBeNull();
		},
	);

	it('does not end the header at dashes inside a line or an indented text', () => {
		const header = 'a: x --- y\nb: |\n  ---\n  text';
		expect(splitSkill(`---\n${header}\n---\nbody`)).toMatchObject({ header, body: 'body' });
	});

	it('keeps further fences in the body', () => {
		expect(splitSkill('---\na: 1\n---\none\n---\ntwo').body).toBe('one\n---\ntwo');
	});

	it.each(['', '\n\n', '# Title\n\ntext'])('finds no header in %j', (text) => {
		expect(splitSkill(text)).toMatchObject({ header: null, body: text, unclosed: false });
	});

	it('finds an empty header', () => {
		expect(splitSkill('---\n---\nbody')).toMatchObject({ header: '', body: 'body' });
	});

	it('says when the header is not closed', () => {
		expect(splitSkill('---\na: 1\nbody')).toMatchObject({ unclosed: true, body: '' });
	});
});

describe('a header that YAML takes', () => {
	it.each([
		['plain values', 'description: some text', 'some text'],
		['double quotes', 'description: "a: b # c"', 'a: b # c'],
		['single quotes', "description: 'it''s'", "it's"],
		['a folded block', 'description: >\n  one\n  two', 'one two\n'],
		['a folded block without its end', 'description: >-\n  one\n  two', 'one two'],
		['a literal block', 'description: |\n  one\n  two', 'one\ntwo\n'],
		['an indented continuation', 'description: one\n  two', 'one two'],
		['a comment', 'description: one # not this', 'one'],
		['a tab before the value', 'description:\tone', 'one'],
		['unicode', 'description: 日本語 😀', '日本語 😀'],
		['numbers, booleans and dates as text', 'description: 1.10', '1.10'],
		['"yes" as text', 'description: yes', 'yes'],
		['a date as text', 'description: 2026-01-01', '2026-01-01'],
		['an unknown tag as text', 'description: !!python/object:os.system ls', 'ls'],
		['a number tag as text', 'description: !!int 007', '007'],
		['a binary tag as text', 'description: !!binary aGk=', 'aGk='],
	])('gives %s', (_, header, expected) => {
		const { values, diagnostics } = valuesOf(header);
		expect(values.get('description')).toBe(expected);
		expect(diagnostics).toEqual([]);
	});

	it('gives lists and maps', () => {
		const { values } = valuesOf('tags: [a, b]\nmore:\n  - c\nmap:\n  k: v');
		expect(values.get('tags')).toEqual(['a', 'b']);
		expect(values.get('more')).toEqual(['c']);
		expect(values.get('map')).toEqual(new Map([['k', 'v']]));
	});

	it.each(['__proto__', 'constructor', 'prototype', 'toString'])('%s is only a key', (key) => {
		const { values } = valuesOf(`name: x\n${key}:\n  polluted: yes`);
		expect(values.get(key)).toEqual(new Map([['polluted', 'yes']]));
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it('resolves an alias', () => {
		expect(valuesOf('name: &a x\ndescription: *a').values.get('description')).toBe('x');
	});

	it('takes keys that are not texts as texts', () => {
		expect([...valuesOf('1: a\n[b]: c').values.keys()]).toEqual(['1', 'b']);
	});
});

describe('no usable header', () => {
	it('missing: says what to add, and suggests the first paragraph', () => {
		const { values, diagnostics } = parse('# Make invoices\n\nFrom orders.');
		expect(values.size).toBe(0);
		expect(diagnostics).toMatchObject([{ code: 'frontmatter-missing', path: PATH }]);
		expect(diagnostics[0].message).toContain('"---"');
		expect(diagnostics[0].message).toContain('(perhaps: Make invoices)');
	});

	it('missing in an empty file: suggests nothing', () => {
		expect(parse('').diagnostics[0].message).not.toContain('perhaps');
	});

	it('unclosed', () => {
		expect(parse('---\nname: x\n').diagnostics).toMatchObject([{ code: 'frontmatter-unclosed' }]);
	});

	it('too large', () => {
		const { diagnostics } = valuesOf(`name: x\ndescription: ${'y'.repeat(MAX_FRONTMATTER_BYTES)}`);
		expect(diagnostics).toMatchObject([{ code: 'frontmatter-too-large' }]);
	});

	it.each([
		['empty', ''],
		['a list', '- a\n- b'],
		['a text', 'just words'],
		['only a comment', '# name: x'],
	])('%s: is invalid with its position', (_, header) => {
		expect(valuesOf(header)).toMatchObject({
			values: new Map(),
			diagnostics: [{ code: 'yaml-invalid', severity: 'error', position: { line: 2, column: 1 } }],
		});
	});
});

describe('repair', () => {
	it.each([
		['": " in a value', 'description: Use for: all things', 'Use for: all things'],
		['a leading asterisk', 'description: *bold* text', '*bold* text'],
		['a leading at sign', 'description: @team only', '@team only'],
		['a leading backtick', 'description: `cmd` runs', '`cmd` runs'],
		['a leading percent sign', 'description: %d files', '%d files'],
		['a link', 'description: [text](link) and more', '[text](link) and more'],
		['a leading brace', 'description: {x} and more', '{x} and more'],
		['text after quotes', 'description: "Quoted" and: more', '"Quoted" and: more'],
		['quotes inside quotes', 'description: "say "hi" now"', 'say "hi" now'],
		['an open quote', 'description: "never closed', 'never closed'],
		['an open single quote', "description: 'never closed", 'never closed'],
		['unindented lines', 'description: one\ntwo\nthree', 'one\ntwo\nthree'],
		['unindented list lines', 'description: one:\n- two\nx three', 'one:\n- two\nx three'],
		[
			'a sentence with a colon',
			'description: a: x\nit goes on like this: b',
			'a: x\nit goes on like this: b',
		],
		['an unindented block', 'description: |\nno indent here', 'no indent here'],
		['a folded one', 'description: >-\nno indent', 'no indent'],
		['tabs', 'description: a\n\tb: c', 'a\nb: c'],
	])('mends %s', (_, header, expected) => {
		const { values, diagnostics } = valuesOf(`name: good\n${header}\nlicense: MIT`);
		expect(values.get('description')).toBe(expected);
		expect([values.get('name'), values.get('license')]).toEqual(['good', 'MIT']);
		expect(diagnostics).toMatchObject([{ code: 'yaml-repaired', severity: 'warning', path: PATH }]);
	});

	it('keeps what parses by itself: lists, quotes and maps beside a broken value', () => {
		const { values } = valuesOf('description: a: b\ntags: [x, y]\nname: "q"\nmetadata:\n  k: v');
		expect(values.get('tags')).toEqual(['x', 'y']);
		expect(values.get('name')).toBe('q');
		expect(values.get('metadata')).toEqual(new Map([['k', 'v']]));
	});

	it('takes the last of two equal keys and says where it stands', () => {
		const { values, diagnostics } = valuesOf('name: first\ndescription: d\nname: last');
		expect(values.get('name')).toBe('last');
		expect(diagnostics).toMatchObject([
			{ code: 'yaml-repaired', position: { line: 4, column: 1 } },
		]);
	});

	it('mends a header that is indented as a whole', () => {
		const { values } = valuesOf('  name: x\n  description: a: b');
		expect([...values]).toEqual([
			['name', 'x'],
			['description', 'a: b'],
		]);
	});

	it('knows quoted keys and keys of several words', () => {
		const { values } = valuesOf(
			'"name": x\n\'license\': MIT\nuser invocable: no\ndescription: a: b',
		);
		expect([...values.keys()]).toEqual(['name', 'license', 'user invocable', 'description']);
	});

	it('keeps a key with a colon in its quotes whole', () => {
		expect(valuesOf('"a:b": *x*\nname: y').values.get('a:b')).toBe('*x*');
	});

	it.each([
		['a broken value', '---\nname: x\nlicense: MIT\ndescription: a: b\n---', 4, 14],
		['an alias that is none', '---\nname: x\ndescription: *bold*\n---', 3, 1],
		['an open quote, not where the header ends', '---\nname: "x\nlicense: MIT\ntags: a\n---', 2, 9],
		['blank lines before', '\n\n---\nname: x\ndescription: a: b\n---', 5, 14],
		['CRLF', '---\r\nname: x\r\ndescription: a: b\r\n---', 3, 14],
		['a continuation line', '---\nname: x\ndescription: a\nb c\n---', 4, 1],
	])('reports line and column: %s', (_, text, line, column) => {
		const [{ position, message }] = parse(text).diagnostics;
		expect(position).toEqual({ line, column });
		expect(message).toContain(`line ${line}, column ${column}`);
	});
});

describe('hostile headers', () => {
	const bomb = [
		'a: &a [x,x,x,x,x,x,x,x,x]',
		...'bcdefgh'.split('').map((key, index) => {
			const below = 'abcdefg'[index];
			return `${key}: &${key} [${Array(9).fill(`*${below}`).join(',')}]`;
		}),
	].join('\n');

	/** As often as fits into a header that is parsed at all. */
	const full = (text: string, share = 1) =>
		text.repeat(Math.floor((share * (MAX_FRONTMATTER_BYTES - 100)) / text.length));

	it.each([
		['an alias bomb', bomb],
		['a circle', `metadata: &a [${Array(40).fill('*a').join(',')}]`],
		['two circles in each other', 'metadata: &a {x: &b [*a, *a, *a], y: *b, z: [*a, *b]}'],
		['deep lists', `metadata: ${full('[')}`],
		['deep lists that are closed', `metadata: ${full('[', 0.5)}${full(']', 0.5)}`],
		['deep maps', `metadata: ${full('{a: ')}`],
		['deep dashes', `metadata:\n${full('- ')}x`],
		['deep dashes with tabs', `metadata:\n${full('-\t')}x`],
		['deep dashes with anchors', `metadata:\n${full('- &a ')}x`],
		['deep dashes with keys', `metadata:\n${full('- k: ')}x`],
		['deep explicit keys', `metadata:\n${full('? ')}x`],
		['deep explicit keys with anchors', `metadata:\n${full('? &b ')}x`],
		['deep explicit keys with tags', `metadata:\n${full('? !b ')}x`],
		['deep dashes and keys with anchors', `metadata:\n${full('- &a ? ')}x`],
		['a deep staircase', Array.from({ length: 150 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
		['many tags', `metadata: ${full('!a ')}`],
		['many spaces after a word', `x: *y\nword${full(' ')}`],
		['many spaces before a line separator', `x: ${full(' ')}\u2028`],
		['many colons', `metadata: ${full('a: ')}`],
		['many broken keys', Array.from({ length: 1200 }, (_, i) => `k${i}: *v`).join('\n')],
		['NUL and controls', 'metadata: \0\u0001\u001b'],
	])('%s costs neither the process nor name and description', (_, header) => {
		const started = performance.now();
		const { values } = valuesOf(`name: x\n${header}\ndescription: y`);
		expect([values.get('name'), values.get('description')]).toEqual(['x', 'y']);
		expect(performance.now() - started).toBeLessThan(5000);
	});

	it('says where the nesting is too deep', () => {
		expect(valuesOf(`name: x\nmetadata: ${'['.repeat(100)}`).diagnostics).toMatchObject([
			{ message: expect.stringContaining('nested too deep'), position: { line: 3, column: 75 } },
		]);
	});
});
