import { MAX_REPORTED_DIAGNOSTICS, MAX_REPORTED_NAMES } from '../../nodes/core/limits';
import { diagnostic } from '../../nodes/core/errors';
import type { SkillMetadata } from '../../nodes/core/types';
import { report } from '../../nodes/shared/supply';

const skills = (amount: number) =>
	Array.from({ length: amount }, (_, index) => ({ name: `s${index}` }) as SkillMetadata);
const findings = (amount: number) =>
	Array.from({ length: amount }, (_, index) => diagnostic('yaml-invalid', `Bad ${index}.`));

describe('report', () => {
	it('gives numbers, names and findings', () => {
		const json = report({ skills: skills(1), sources: [], diagnostics: findings(1) });
		expect(json).toEqual({
			skills: 1,
			sources: [],
			names: ['s0'],
			diagnostics: [{ code: 'yaml-invalid', severity: 'error', message: 'Bad 0.' }],
		});
	});

	it('is bounded, and says what it leaves out', () => {
		const json = report({
			skills: skills(MAX_REPORTED_NAMES + 5),
			sources: [],
			diagnostics: findings(MAX_REPORTED_DIAGNOSTICS + 7),
		});
		expect(json.names).toHaveLength(MAX_REPORTED_NAMES);
		expect(json.namesLeftOut).toBe(5);
		expect(json.diagnostics).toHaveLength(MAX_REPORTED_DIAGNOSTICS);
		expect(json.diagnosticsLeftOut).toBe(7);
	});
});
