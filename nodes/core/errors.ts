/** How much a diagnostic matters: an error cost a skill or source, a warning did not. */
export type Severity = 'error' | 'warning' | 'info';

/** All codes with their severity; docs/errors.md explains each in one row. */
export const DIAGNOSTIC_SEVERITY = {
	'source-not-found': 'error',
	'source-not-folder': 'error',
	'source-blocked': 'error',
	'source-unreadable': 'error',
	'source-invalid': 'error',
	'source-denied': 'error',
	'source-rate-limited': 'error',
	'source-empty': 'warning',
	'source-stale': 'warning',
	'source-too-large': 'warning',
	'link-outside': 'warning',
	'index-unsupported': 'warning',
	'index-entry-invalid': 'error',
	'digest-mismatch': 'error',
	'archive-refused': 'error',
	'skill-file-name': 'warning',
	'skill-unreadable': 'error',
	'skill-too-large': 'error',
	'skill-not-utf8': 'error',
	'frontmatter-missing': 'error',
	'frontmatter-unclosed': 'error',
	'frontmatter-too-large': 'error',
	'yaml-invalid': 'error',
	'yaml-repaired': 'warning',
	'name-missing': 'error',
	'description-missing': 'error',
	'name-invalid': 'warning',
	'name-mismatch': 'warning',
	'name-ambiguous': 'warning',
	'description-cut': 'warning',
	'compatibility-cut': 'warning',
	'field-invalid': 'warning',
	'field-unknown': 'info',
	'skill-shadowed': 'info',
	'skill-duplicate': 'warning',
	'data-invalid': 'error',
	'pin-not-found': 'warning',
	'state-repaired': 'warning',
} as const satisfies Record<string, Severity>;

/** A code of `DIAGNOSTIC_SEVERITY`. */
export type DiagnosticCode = keyof typeof DIAGNOSTIC_SEVERITY;

/** Where in a text a problem stands; both count from 1. */
export interface Position {
	line: number;
	column: number;
}

/** One finding about a source or a skill: data, never thrown. */
export interface Diagnostic {
	code: DiagnosticCode;
	severity: Severity;
	message: string;
	path?: string;
	position?: Position;
}

/** Gives back a diagnostic with the severity of its code. */
export function diagnostic(
	code: DiagnosticCode,
	message: string,
	where: { path?: string; position?: Position } = {},
): Diagnostic {
	return { code, severity: DIAGNOSTIC_SEVERITY[code], message, ...where };
}

// A place that cannot be used shows none of its skills; that does not mean they were deleted.
const OUTAGES = /^(?:source-|data-invalid$|archive-refused$)/;

/** Tells whether a finding means that a whole place cannot be used at the moment. */
export function isOutage({ code, severity }: Diagnostic): boolean {
	return code === 'index-unsupported' || (severity === 'error' && OUTAGES.test(code));
}

/** An error with a code; what a backend throws when a whole source cannot be used. */
export class SkillError extends Error {
	constructor(
		readonly code: DiagnosticCode,
		message: string,
		readonly hint?: string,
	) {
		super(message);
		this.name = 'SkillError';
	}
}

/** Gives back the text of anything that was thrown. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
