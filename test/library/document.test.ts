import fc from 'fast-check';

import { skillFileOf, skillOfFile } from '../../nodes/core/library/document';
import { LibraryError } from '../../nodes/core/library/types';
import { MAX_EXTRAS_NESTING } from '../../nodes/core/limits';

const read = (text: string) => skillOfFile(Buffer.from(text), '/pdf/SKILL.md');
const again = (skill: ReturnType<typeof read>) => read(skillFileOf(skill));

const HEAD = 'name: pdf\ndescription: Reads PDF\n';

it('takes name, description, body, tags and all other fields of a file', () => {
	const skill = read(
		`---\n${HEAD}tags: [a, b]\nlicense: MIT\nmetadata:\n  version: 1.10\nx: [1, {y: z}]\n---\n\n# Do\n`,
	);
	expect(skill).toEqual({
		name: 'pdf',
		description: 'Reads PDF',
		content: '\n# Do\n',
		tags: ['a', 'b'],
		extras: { license: 'MIT', metadata: { version: '1.10' }, x: ['1', { y: 'z' }] },
	});
	expect(again(skill)).toEqual(skill);
});

it.each([
	['text with commas', 'tags: a, b c,,a', ['a', 'b c']],
	['an empty list', 'tags: []', []],
	['nothing', 'tags:', []],
])('takes tags from %s', (_, line, tags) => {
	expect(read(`---\n${HEAD}${line}\n---\n`)).toMatchObject({ tags, extras: {} });
});

it('keeps tags of another shape as they are', () => {
	const skill = read(`---\n${HEAD}tags: {a: b}\n---\n`);
	expect(skill).toMatchObject({ tags: [], extras: { tags: { a: 'b' } } });
	expect(again(skill)).toEqual(skill);
});

it.each([
	['several lines', 'description: |\n  one\n  two\n', 'one\ntwo\n'],
	['a list', 'description: [one, two]\n', 'one, two'],
	['what YAML refuses', 'description: Use: when asked\n', 'Use: when asked'],
])('takes a description of %s', (_, line, description) => {
	const skill = read(`---\nname: pdf\n${line}---\nbody`);
	expect(skill.description).toBe(description);
	expect(again(skill)).toEqual(skill);
});

it('expands aliases, and keys that are lists become text', () => {
	const skill = read(`---\n${HEAD}a: &x [1]\nb: *x\n? [p, q]\n: r\n---\n`);
	expect(skill.extras).toMatchObject({ a: ['1'], b: ['1'] });
	expect(again(skill)).toEqual(skill);
});

it.each([
	['no frontmatter', '# Text', /no frontmatter/],
	['no name', '---\ndescription: d\n---\n', /no name/],
	['no description', '---\nname: pdf\n---\n', /no description/],
	['a circle', `---\n${HEAD}a: &x [*x]\n---\n`, /nested deeper/],
	['deep nesting', `---\n${HEAD}a: ${'['.repeat(40)}${']'.repeat(40)}\n---\n`, /nested deeper/],
])('refuses a file with %s and says why', (_, text, message) => {
	expect(() => read(text)).toThrow(LibraryError);
	expect(() => read(text)).toThrow(message);
});

it('refuses a file that is not UTF-8', () => {
	expect(() => skillOfFile(Buffer.from([0x2d, 0xff]), '/x/SKILL.md')).toThrow(/not UTF-8.*byte 2/);
});

it.each([
	['marks in a line', 'a - '.repeat(70)],
	['colons in a line', 'x: '.repeat(70)],
	['brackets', '[{'.repeat(70)],
])('writes many %s so that no parser takes them for nesting', (_, text) => {
	const fields = Object.fromEntries(Array.from({ length: 70 }, (__, at) => [`k${at}`, 'v']));
	const extras = { text, list: [text, fields], metadata: { text } };
	const skill = { name: 'pdf', description: text, content: 'body', tags: [text], extras };
	expect(read(skillFileOf(skill))).toEqual({ ...skill, tags: [text.trim()] });
});

it('refuses to write what could not be read back', () => {
	const skill = { name: 'x', description: 'y', content: '', tags: [] };
	const long = { ...skill, extras: { text: 'x'.repeat(70_000) } };
	expect(() => skillFileOf(long)).toThrow(/frontmatter of more than/);
	const deep = JSON.parse('['.repeat(50) + ']'.repeat(50)) as unknown;
	expect(() => skillFileOf({ ...skill, extras: { deep } })).toThrow(/nested deeper/);
});

// All shapes that a frontmatter can have: every scalar is text.
const value = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: MAX_EXTRAS_NESTING - 4, depthSize: 'small' },
		fc.string({ unit: 'binary', maxLength: 40 }),
		fc.constantFrom(
			'true',
			'no',
			'1.0',
			'~',
			'---',
			'a: b',
			'# c',
			"'",
			'"',
			'[',
			'{',
			'|',
			'\r\n',
		),
		fc.array(tie('value'), { maxLength: 4 }),
		fc.dictionary(fc.string({ unit: 'binary', maxLength: 10 }), tie('value'), {
			maxKeys: 4,
			noNullPrototype: true,
		}),
	),
})).value;
const KNOWN = ['license', 'compatibility', 'allowed-tools', 'metadata', 'disable-model-invocation'];
const key = fc.oneof(fc.constantFrom(...KNOWN), fc.string({ unit: 'binary', maxLength: 30 }));

it('property: what is parsed, generated and parsed again is equal, whatever the fields', () => {
	fc.assert(
		fc.property(
			fc.record({
				name: fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/),
				description: fc
					.string({ unit: 'binary', maxLength: 100 })
					.filter((text) => /\w/.test(text)),
				content: fc.string({ unit: 'binary', maxLength: 300 }),
				tags: fc.uniqueArray(fc.stringMatching(/^[^\s,][^,]{0,10}[^\s,]$/), { maxLength: 4 }),
				extras: fc.dictionary(key, value, { maxKeys: 6, noNullPrototype: true }),
			}),
			(given) => {
				const own = new Set(['name', 'description', 'tags']);
				const extras = Object.fromEntries(
					Object.entries(given.extras).filter(([field]) => !own.has(field)),
				);
				const parsed = read(skillFileOf({ ...given, extras }));
				expect(parsed).toEqual(wellFormed({ ...given, extras }));
				expect(again(parsed)).toEqual(parsed);
			},
		),
		{ numRuns: 500 },
	);
});

it('property: any file that is a skill is read the same after it was written again', () => {
	const line = fc.constantFrom(
		'name: pdf',
		'description: d',
		'a: &x [1, 2]',
		'b: *x',
		'c: |',
		'  block',
		'd: "q\\u0000\\ud800"',
		'tags: x, y',
		'e: {f: [g]}',
		'- h',
		'i: j: k',
		'"l": ~',
	);
	fc.assert(
		fc.property(fc.array(line, { maxLength: 8 }), fc.string({ maxLength: 20 }), (lines, body) => {
			const text = `---\nname: pdf\ndescription: d\n${lines.join('\n')}\n---\n${body}`;
			let skill;
			try {
				skill = read(text);
			} catch (error) {
				expect(error).toBeInstanceOf(LibraryError);
				return;
			}
			expect(again(skill)).toEqual(skill);
		}),
		{ numRuns: 500 },
	);
});

function wellFormed(value: unknown): unknown {
	if (typeof value === 'string') return value.toWellFormed();
	if (Array.isArray(value)) return value.map(wellFormed);
	const pairs = Object.entries(value as object).map(([k, v]) => [k.toWellFormed(), wellFormed(v)]);
	return Object.fromEntries(pairs) as unknown;
}
