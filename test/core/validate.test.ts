import { nameProblem, normalizeName } from '../../nodes/core/validate';

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
