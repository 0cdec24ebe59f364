import fc from 'fast-check';

import { frontmatterSchema, readFrontmatter } from '../../nodes/core/schema';
import { nameProblem, normalizeName, validateSkill } from '../../nodes/core/validate';

describe('the frontmatter', () => {
	const key = fc.constantFrom(...Object.keys(frontmatterSchema.shape), 'version');
	const value = fc.oneof(
		fc.string(),
		fc.array(fc.string()),
		fc.dictionary(fc.string(), fc.string()).map((record) => new Map(Object.entries(record))),
	);

	it('is read as its schema says', () => {
		fc.assert(
			fc.property(fc.uniqueArray(fc.tuple(key, value), { selector: ([one]) => one }), (entries) => {
				const parsed = frontmatterSchema.parse(Object.fromEntries(entries));
				expect(readFrontmatter(new Map(entries))).toEqual(parsed);
			}),
		);
	});

	it('keeps fields that the specification does not know, as text', () => {
		const values = new Map<string, unknown>([
			['name', 'a'],
			['description', 'd'],
			['version', '1.2'],
			['tags', ['x', 'y']],
		]);
		const { fields, diagnostics } = validateSkill(values, '/a/SKILL.md');
		expect(fields?.others).toEqual({ version: '1.2', tags: 'x, y' });
		expect(diagnostics).toEqual([]);
	});
});

describe('nameProblem', () => {
	it('is null for a good name in its folder', () => {
		expect(nameProblem('pdf-tools', 'pdf-tools')).toBeNull();
	});

	it('names the folder that differs', () => {
		expect(nameProblem('pdf', 'documents')).toContain('"documents"');
	});

	it.each(['', 'a b', 'a/b', 'a.b', 'a_b', 'a\n'])('refuses %j', (name) => {
		expect(nameProblem(name, '')).not.toBeNull();
	});
});

describe('normalizeName', () => {
	it.each([
		['PDF Tools', 'pdf-tools'],
		['pdf_tools', 'pdf-tools'],
		['pdf.tools', 'pdf-tools'],
		['-pdf--tools-', 'pdf-tools'],
		['ＰＤＦ', 'pdf'],
	])('makes %j equal to %j', (name, expected) => {
		expect(normalizeName(name)).toBe(expected);
	});
});
