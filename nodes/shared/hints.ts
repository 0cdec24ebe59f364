import type { NodeExecutionHint } from 'n8n-workflow';

import type { Diagnostic } from '../core/errors';
import { MAX_HINT_DIAGNOSTICS } from '../core/limits';
import { count, escapeMarkup, oneLine } from '../core/text';
import type { SkillSnapshot } from '../core/types';
import type { NodeContext } from './context';

/** Shows a sentence in the node's output panel; n8n renders hints as HTML, so it is escaped. */
export function addHint(
	context: NodeContext,
	message: string,
	type: NodeExecutionHint['type'] = 'info',
): void {
	context.addExecutionHints({
		message: escapeMarkup(oneLine(message)),
		type,
		location: 'outputPane',
	});
}

/** Gives back what a person should know of the skills that were found, the worst first. */
export function snapshotHints({ skills, sources, diagnostics }: SkillSnapshot): Array<{
	message: string;
	type: NodeExecutionHint['type'];
}> {
	const from = sources
		.filter((source) => source.skills > 0)
		.map((source) => `${source.label} (${source.skills})`)
		.join(', ');
	const found = `${count(skills.length, 'skill')} found${from === '' ? '' : `: ${from}`}.`;
	const problems = [
		...ofSeverity(diagnostics, 'error', 'problem'),
		...ofSeverity(diagnostics, 'warning', 'warning'),
	];
	const summary = { message: found, type: skills.length === 0 ? 'warning' : 'info' } as const;
	return [summary, ...problems.map((message) => ({ message, type: 'warning' as const }))];
}

function ofSeverity(
	diagnostics: Diagnostic[],
	severity: Diagnostic['severity'],
	noun: string,
): string[] {
	const some = diagnostics.filter((one) => one.severity === severity);
	if (some.length === 0) return [];
	const shown = some.slice(0, MAX_HINT_DIAGNOSTICS).map(({ path, message }) => {
		return path === undefined || message.includes(path) ? message : `${path}: ${message}`;
	});
	const rest = some.length - shown.length;
	const more = rest > 0 ? ` And ${rest} more: see the node's output.` : '';
	return [`${count(some.length, noun)}: ${shown.join(' ')}${more}`];
}
