import { diagnostic, type Diagnostic } from './errors';
import {
	MAX_COMPATIBILITY_LENGTH,
	MAX_DESCRIPTION_LENGTH,
	MAX_LICENSE_LENGTH,
	MAX_NAME_LENGTH,
} from './limits';
import { baseName, parentOf } from './path';
import { KNOWN_FIELDS, readFrontmatter, unknownValues, type FrontmatterFields } from './schema';
import { cut } from './text';
import type { SkillMetadata } from './types';

/** The part of a skill's metadata that its own file decides. */
export type SkillFields = Omit<SkillMetadata, 'path' | 'directory' | 'source' | 'contentHash'>;

// Characters with a meaning in the catalog, a tag or an answer; a name never needs them.
const UNSAFE_IN_NAME = /[`*<>[\]{}"\\|]/g;

// To the rules but for its length, and spelled in one way only.
const PLAIN_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Gives back what is wrong with a name by https://agentskills.io/specification#name-field. */
export function nameProblem(name: string, folder: string): string | null {
	if (name.length <= MAX_NAME_LENGTH && name === folder && PLAIN_NAME.test(name)) return null;
	if ([...name].length > MAX_NAME_LENGTH) return `it is longer than ${MAX_NAME_LENGTH} characters`;
	if (name !== name.toLowerCase()) return 'it has capital letters';
	if (!/^[\p{L}\p{M}\p{N}-]+$/u.test(name)) {
		return 'only lowercase letters, digits and hyphens are allowed';
	}
	if (/^-|-$|--/.test(name)) return 'hyphens must be single and not at the ends';
	if (folder !== '' && name !== folder.normalize('NFKC')) {
		return `it differs from its folder "${folder}"`;
	}
	return null;
}

/** Gives back a name so that two spellings of the same name are equal. */
export function normalizeName(name: string): string {
	if (PLAIN_NAME.test(name)) return name;
	return name
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[\s_.-]+/g, '-')
		.replace(/^-|-$/g, '');
}

/** Gives back the fields of a skill, null when it cannot be offered, and all findings. */
export function validateSkill(
	values: Map<string, unknown>,
	path: string,
): { fields: SkillFields | null; diagnostics: Diagnostic[] } {
	const diagnostics: Diagnostic[] = [];
	const report: Report = (code, message) => {
		diagnostics.push(diagnostic(code, message, { path }));
	};
	const parsed = readFrontmatter(values);
	const folder = baseName(parentOf(path));

	const given = PLAIN_NAME.test(parsed.name) ? parsed.name : parsed.name.normalize('NFKC');
	const name = cutName(given.replace(UNSAFE_IN_NAME, '').trim());
	if (name === '') {
		report(
			'name-missing',
			`There is no name. Add "name: ${folder || 'my-skill'}" to the frontmatter.`,
		);
	}
	if (parsed.description === '') {
		report(
			'description-missing',
			'There is no description. Add "description: <what it does and when to use it>" to the frontmatter.',
		);
	}
	if (name === '' || parsed.description === '') return { fields: null, diagnostics };

	checkName(given, folder, report);
	checkFields(parsed, values, report);
	return { fields: toFields(name, parsed, unknownValues(values), diagnostics), diagnostics };
}

type Report = (code: Diagnostic['code'], message: string) => void;

function checkFields(
	parsed: FrontmatterFields,
	values: Map<string, unknown>,
	report: Report,
): void {
	const { description, compatibility } = parsed;
	if (description.length > MAX_DESCRIPTION_LENGTH) {
		report('description-cut', tooLong('description', description, MAX_DESCRIPTION_LENGTH));
	}
	if (compatibility.length > MAX_COMPATIBILITY_LENGTH) {
		report('compatibility-cut', tooLong('compatibility', compatibility, MAX_COMPATIBILITY_LENGTH));
	}
	if (values.has('metadata') && !(values.get('metadata') instanceof Map)) {
		report(
			'field-invalid',
			'The field "metadata" should hold indented "key: value" lines; it was ignored.',
		);
	}
}

function toFields(
	name: string,
	parsed: FrontmatterFields,
	others: SkillFields['others'],
	diagnostics: Diagnostic[],
): SkillFields {
	const { license, compatibility } = parsed;
	return {
		name,
		description: cut(parsed.description, MAX_DESCRIPTION_LENGTH),
		...(license ? { license: cut(license, MAX_LICENSE_LENGTH) } : {}),
		...(compatibility ? { compatibility: cut(compatibility, MAX_COMPATIBILITY_LENGTH) } : {}),
		metadata: parsed.metadata,
		allowedTools: parsed['allowed-tools'],
		modelInvocable: !parsed['disable-model-invocation'],
		...(others ? { others } : {}),
		diagnostics,
	};
}

/** Gives back a finding for each field that the specification does not know. */
export function unknownFields(values: Map<string, unknown>, path: string): Diagnostic[] {
	return [...values.keys()]
		.filter((key) => !KNOWN_FIELDS.has(key))
		.map((key) =>
			diagnostic('field-unknown', `The field "${key}" is not part of the specification.`, { path }),
		);
}

/** Gives back a name within the limit, which counts characters, not UTF-16 units. */
function cutName(name: string): string {
	if (name.length <= MAX_NAME_LENGTH) return name;
	return [...name].length > MAX_NAME_LENGTH ? cut(name, MAX_NAME_LENGTH) : name;
}

function checkName(name: string, folder: string, report: Report): void {
	if (nameProblem(name, folder) === null) return;
	const bad = nameProblem(name, '');
	if (bad)
		report('name-invalid', `The name "${cut(name, MAX_NAME_LENGTH)}" is not to the rules: ${bad}.`);
	else {
		report(
			'name-mismatch',
			`The name "${name}" differs from its folder "${folder}". Rename one of them.`,
		);
	}
}

function tooLong(field: string, text: string, limit: number): string {
	return `The ${field} has ${text.length} characters; only the first ${limit} are used.`;
}
