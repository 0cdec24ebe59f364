import { picture } from '../engine/support/picture';
import { executeContext, hintsOf } from './support/contexts';

import { diagnostic, type Diagnostic } from '../../nodes/core/errors';
import type { SkillSnapshot, SourceReport } from '../../nodes/core/types';
import { addHint, snapshotHints } from '../../nodes/shared/hints';

const source = (label: string, skills: number): SourceReport => ({
	label,
	location: `/${label}`,
	status: 'ok',
	skills,
	found: skills,
});

function snapshot(amount: number, diagnostics: Diagnostic[] = []): SkillSnapshot {
	const skills = Array.from({ length: amount }, (_, index) => ({ name: `s${index}` }));
	return { skills, diagnostics, sources: [source('Team', amount), source('Mine', 0)] } as never;
}

const error = (n: number) => diagnostic('yaml-invalid', `Bad ${n}.`, { path: `/s${n}/SKILL.md` });

describe('snapshotHints', () => {
	it('says how many skills were found, and where', () => {
		expect(snapshotHints(snapshot(2))).toEqual([
			{ message: '2 skills found: Team (2).', type: 'info' },
		]);
	});

	it('warns when nothing was found', () => {
		expect(snapshotHints(snapshot(0))).toEqual([{ message: '0 skills found.', type: 'warning' }]);
	});

	it('names problems before warnings, with their paths', () => {
		const warning = diagnostic('name-mismatch', 'The name in /a/SKILL.md differs.', {
			path: '/a/SKILL.md',
		});
		const [, problems, warnings] = snapshotHints(snapshot(1, [warning, error(1)]));
		expect(problems.message).toBe('1 problem: /s1/SKILL.md: Bad 1.');
		expect(warnings.message).toBe('1 warning: The name in /a/SKILL.md differs.');
	});

	it('names three, and says how many more there are', () => {
		const [, { message }] = snapshotHints(snapshot(1, [1, 2, 3, 4, 5].map(error)));
		expect(message).toContain('5 problems:');
		expect(message).toContain('Bad 3.');
		expect(message).not.toContain('Bad 4.');
		expect(message).toContain("And 2 more: see the node's output.");
	});

	it('leaves mere information out', () => {
		const shadowed = diagnostic('skill-shadowed', 'x');
		expect(snapshotHints(snapshot(1, [shadowed]))).toHaveLength(1);
	});

	it('shows a finding without a path as it is', () => {
		const [, { message }] = snapshotHints(snapshot(1, [diagnostic('data-invalid', 'No list.')]));
		expect(message).toBe('1 problem: No list.');
	});
});

describe('addHint', () => {
	const context = () => executeContext(picture(), { node: 'Catalog' });

	it('escapes markup and keeps to one line', () => {
		const one = context();
		addHint(one, '<img src=x>\n"a" & \u202eb');
		expect(hintsOf(one)).toEqual(['&lt;img src=x&gt; &quot;a&quot; &amp; b']);
	});

	it('is shown beside the output, as information unless told', () => {
		const one = context();
		addHint(one, 'a');
		addHint(one, 'b', 'warning');
		expect(one.hints).toMatchObject([
			{ type: 'info', location: 'outputPane' },
			{ type: 'warning', location: 'outputPane' },
		]);
	});
});
