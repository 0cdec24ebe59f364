import fc from 'fast-check';

import { exactBody, parseFrontmatter, splitSkill } from '../../nodes/core/frontmatter';
import { generateSkill } from '../../nodes/core/generate';
import { parseSkill } from '../../nodes/core/skill';
import { oneLine } from '../../nodes/core/text';

const valuesOf = (text: string) => parseFrontmatter(splitSkill(text), '/x/SKILL.md');

it('writes a file as a person would', () => {
	const text = generateSkill({
		name: 'pdf',
		description: 'Reads PDF files, and tables in them.',
		body: '\n# Do\n',
		fields: {
			license: 'MIT: yes',
			tags: ['pdf', 'two words'],
			'disable-model-invocation': 'true',
			metadata: { author: 'me', version: '1.0' },
			hooks: [{ on: 'load' }],
		},
	});
	expect(text).toBe(`---
name: pdf
description: Reads PDF files, and tables in them.
license: "MIT: yes"
tags: [pdf, "two words"]
disable-model-invocation: true
metadata:
  author: me
  version: "1.0"
hooks: [{"on": load}]
---

# Do
`);
});

it('writes all fields so that they are read back', () => {
	const text = generateSkill({
		name: 'pdf',
		description: 'd',
		body: 'b',
		fields: {
			license: 'MIT: yes',
			compatibility: '*all*',
			'allowed-tools': ['Read', 'Bash(git add:*)'],
			metadata: { 'a: b': 'c\n---\nd', __proto: 'x' },
		},
	});
	expect(parseSkill(Buffer.from(text), '/pdf/SKILL.md').fields).toEqual({
		name: 'pdf',
		description: 'd',
		license: 'MIT: yes',
		compatibility: '*all*',
		allowedTools: ['Read', 'Bash(git add:*)'],
		metadata: { 'a: b': 'c\n---\nd', __proto: 'x' },
		modelInvocable: true,
		diagnostics: [],
	});
});

it.each([
	['a key longer than a YAML parser looks for its colon', { ['k'.repeat(3000)]: 'v' }],
	['a long key in a mapping', { m: { ['k'.repeat(3000)]: 'v' } }],
	['more brackets than a parser lets nest', { a: '['.repeat(500), b: '}{'.repeat(100) }],
	['keywords as text', { a: 'yes', b: 'null', c: 'true', d: ['false', 'on'] }],
	['nothing', { a: '', b: [], c: {} }],
	['keys of other languages', { 'ключ ': 'x', '': 'y', '<<': 'z', '#': '&a *b !c' }],
])('reads back %s', (_, fields) => {
	const { values, diagnostics } = valuesOf(
		generateSkill({ name: 'x', description: 'y', body: '', fields }),
	);
	expect(diagnostics).toEqual([]);
	const { name, description, ...rest } = toJson(values) as Record<string, unknown>;
	expect({ name, description, rest }).toEqual({ name: 'x', description: 'y', rest: fields });
});

function toJson(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(toJson);
	if (!(value instanceof Map)) return value;
	return Object.fromEntries([...value].map(([key, part]) => [key, toJson(part)]));
}

describe('the body', () => {
	it.each([
		'',
		'no newline at the end',
		'\n\n\nlate',
		'---\nname: other\n---\n',
		'...\n',
		'\ufeffmark',
		'windows\r\nlines\r\n',
		'old mac\rlines',
		'\r\n',
		'\t---\t',
	])('is exact: %j', (body) => {
		expect(exactBody(generateSkill({ name: 'x', description: 'y', body }))).toBe(body);
	});

	it('has no half characters: a file cannot hold them', () => {
		const text = generateSkill({ name: 'x', description: 'a\ud800b', body: 'a\udfffb' });
		expect(Buffer.from(text).toString()).toBe(text);
		expect(exactBody(text)).toBe('a\ufffdb');
	});

	it('is null where there is no header', () => {
		expect(exactBody('# Text')).toBeNull();
		expect(exactBody('---\nname: x\n')).toBeNull();
	});

	it('property: but for line ends it is what the parser takes for it', () => {
		const piece = fc.constantFrom(
			'---',
			'...',
			'\n',
			'\r',
			'\r\n',
			' ',
			'\t',
			'a: b',
			'\ufeff',
			'x',
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
				const text = pieces.join('');
				const { header, unclosed, body } = splitSkill(text);
				const expected = header === null || unclosed ? null : body;
				expect(exactBody(text)?.replace(/\r\n?/g, '\n') ?? null).toBe(expected);
			}),
			{ numRuns: 3000 },
		);
	});
});

const anyText = fc.string({ unit: 'binary', maxLength: 200 });
const anyName = fc.stringMatching(/^[a-z0-9]+(?:-[a-z0-9]+){0,3}$/).filter((n) => n.length <= 64);

it('property: whatever is written is read back, and no value leaves its field', () => {
	fc.assert(
		fc.property(
			anyName,
			anyText,
			anyText,
			fc.dictionary(fc.string({ maxLength: 20 }), anyText, { maxKeys: 5, noNullPrototype: true }),
			(name, description, body, metadata) => {
				fc.pre(oneLine(description) !== '' && !Object.hasOwn(metadata, '__proto__'));
				const text = generateSkill({ name, description, body, fields: { metadata } });
				const { fields, diagnostics } = parseSkill(Buffer.from(text), `/${name}/SKILL.md`);
				expect(diagnostics.filter((one) => one.code.startsWith('yaml'))).toEqual([]);
				expect(fields?.name).toBe(name);
				expect(fields?.description).toBe(oneLine(description));
				expect(fields?.metadata).toEqual(
					Object.fromEntries(
						Object.entries(metadata).map(([key, value]) => [
							key.toWellFormed(),
							value.toWellFormed(),
						]),
					),
				);
				expect(exactBody(text)).toBe(body.toWellFormed());
			},
		),
		{ numRuns: 300 },
	);
});
