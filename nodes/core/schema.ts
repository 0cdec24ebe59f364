import { z } from 'zod';

import {
	MAX_ALLOWED_TOOLS,
	MAX_LOADED_PER_SESSION,
	MAX_METADATA_KEYS,
	MAX_METADATA_VALUE_LENGTH,
	MAX_ORIGIN_LENGTH,
	MAX_PATHS_PER_READ,
	READ_BYTES_PER_CALL,
	MAX_QUERY_LENGTH,
	MAX_SEARCH_RESULTS,
	MAX_STATE_RESOURCES,
} from './limits';
import { cut, oneLine } from './text';

// ---------------------------------------------------------------- frontmatter

// Deeper values than any real file has; a bound, because hostile nesting would exhaust the stack.
const MAX_NESTING = 8;

function asText(value: unknown): unknown {
	if (Array.isArray(value) && value.every((part) => typeof part === 'string'))
		return value.join(', ');
	return Array.isArray(value) || value instanceof Map ? JSON.stringify(asPlain(value)) : value;
}

// An alias may stand inside its own anchor; such a circle is cut where it closes.
function asPlain(value: unknown, above: unknown[] = []): unknown {
	if (above.length > MAX_NESTING || above.includes(value)) return '…';
	const inside = [...above, value];
	if (Array.isArray(value)) return value.map((part) => asPlain(part, inside));
	if (!(value instanceof Map)) return value;
	return Object.fromEntries([...value].map(([key, part]) => [key, asPlain(part, inside)]));
}

// Commas and spaces part the tools, but not inside the brackets of "Bash(git add:*)".
function asToolList(value: unknown): string[] {
	if (value === undefined) return [];
	const parts = Array.isArray(value) ? value.map(asText) : [asText(value)];
	return parts
		.flatMap((part) => String(part ?? '').match(/(?:\([^()]*\)|[^\s,(])+/g) ?? [])
		.map(oneLine)
		.filter((tool) => tool !== '')
		.slice(0, MAX_ALLOWED_TOOLS);
}

function asStringRecord(value: unknown): Record<string, string> {
	if (!(value instanceof Map)) return {};
	const entries = [...value].slice(0, MAX_METADATA_KEYS);
	return Object.fromEntries(
		entries.map(([key, part]) => [
			String(key),
			cut(String(asText(part) ?? ''), MAX_METADATA_VALUE_LENGTH),
		]),
	);
}

function asLine(value: unknown): string {
	if (value === undefined) return '';
	const text = asText(value);
	return typeof text === 'string' ? oneLine(text) : '';
}

function asFlag(value: unknown): boolean {
	if (value === undefined) return false;
	return /^(?:true|yes|on)$/i.test(String(value ?? ''));
}

/**
 * The frontmatter of a SKILL.md: https://agentskills.io/specification#frontmatter
 * Nothing is refused here, so each field is one transformation; what is missing comes out empty.
 */
export const frontmatterSchema = z.object({
	name: z.unknown().transform(asLine),
	description: z.unknown().transform(asLine),
	license: z.unknown().transform(asLine),
	compatibility: z.unknown().transform(asLine),
	'allowed-tools': z.unknown().transform(asToolList),
	metadata: z.unknown().transform(asStringRecord),
	'disable-model-invocation': z.unknown().transform(asFlag),
});

/** What the schema makes of a frontmatter. */
export type FrontmatterFields = z.output<typeof frontmatterSchema>;

/** The keys that the specification and its clients know. */
export const KNOWN_FIELDS = new Set(Object.keys(frontmatterSchema.shape));

/**
 * Gives back what the schema makes of a frontmatter. With nothing to refuse zod would only cost time,
 * and thousands of files are read at once; a test proves that both are equal.
 */
export function readFrontmatter(values: Map<string, unknown>): FrontmatterFields {
	return {
		name: asLine(values.get('name')),
		description: asLine(values.get('description')),
		license: asLine(values.get('license')),
		compatibility: asLine(values.get('compatibility')),
		'allowed-tools': asToolList(values.get('allowed-tools')),
		metadata: asStringRecord(values.get('metadata')),
		'disable-model-invocation': asFlag(values.get('disable-model-invocation')),
	};
}

/** Gives back the fields that the specification does not know as short texts, undefined: none. */
export function unknownValues(values: Map<string, unknown>): Record<string, string> | undefined {
	let unknown: Map<string, unknown> | undefined;
	for (const [key, value] of values) {
		if (!KNOWN_FIELDS.has(key)) (unknown ??= new Map()).set(key, value);
	}
	return unknown && asStringRecord(unknown);
}

// ------------------------------------------------------------- tool arguments

// Models send null for "not given", numbers as text, and one path without its brackets.
function asNumber(value: unknown): unknown {
	if (value === null) return undefined;
	return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
}

// More than we give is no mistake worth another call; it is cut down.
const wholeNumber = (min: number, max: number) =>
	z.preprocess(
		asNumber,
		z
			.number()
			.int()
			.min(min)
			.transform((value) => Math.min(value, max))
			.optional(),
	);
const skillName = z.string().min(1);

/** Arguments of `load_skill`. */
export const loadArguments = z.object({ skill_name: skillName }).strict();
/** Arguments of `unload_skill`. */
export const unloadArguments = z.object({ skill_name: skillName }).strict();
/** Arguments of `read_skill_file`. */
export const readArguments = z
	.object({
		skill_name: skillName,
		paths: z.preprocess(
			(value) => (typeof value === 'string' ? [value] : value),
			z.array(z.string().min(1)).min(1).max(MAX_PATHS_PER_READ),
		),
		offset: wholeNumber(0, Number.MAX_SAFE_INTEGER),
		limit: wholeNumber(1, READ_BYTES_PER_CALL),
	})
	.strict();
/** Arguments of `search_skills`. */
export const searchArguments = z
	.object({
		query: z.string().min(1).max(MAX_QUERY_LENGTH),
		limit: wholeNumber(1, MAX_SEARCH_RESULTS),
	})
	.strict();

/** The tools by their bare name, with the strict schema of their arguments. */
export const toolArguments = {
	load_skill: loadArguments,
	unload_skill: unloadArguments,
	read_skill_file: readArguments,
	search_skills: searchArguments,
} as const;

/** The bare name of a tool. */
export type ToolName = keyof typeof toolArguments;

// --------------------------------------------------------------- stored state

/** One file of a loaded skill. */
export const resourceSchema = z.object({
	type: z.enum(['script', 'reference', 'asset', 'other']),
	path: z.string(),
});

/** A loaded skill: which text the model got, when, and in which execution and run it last got it. */
export const loadedSkillSchema = z.object({
	name: z.string().min(1),
	hash: z.string(),
	at: z.number().finite(),
	execution: z.string(),
	pinned: z.boolean().optional(),
	/** Which Skills Source it came from; older records do not say. */
	source: z.string().max(MAX_ORIGIN_LENGTH).optional(),
	resources: z.array(resourceSchema).max(MAX_STATE_RESOURCES),
});

/** What one conversation of one agent has loaded. */
export const sessionSchema = z.object({
	state: z.string(),
	session: z.string(),
	touched: z.number().finite(),
	loaded: z.array(loadedSkillSchema).max(MAX_LOADED_PER_SESSION),
});

/** The state's version; an older or unknown one is read as far as it can be. */
export const STATE_VERSION = 1;

/** All that static data holds of ours. */
export const storedStateSchema = z.object({
	version: z.literal(STATE_VERSION),
	sessions: z.array(sessionSchema),
});

/** A loaded skill as it is stored. */
export type LoadedSkill = z.infer<typeof loadedSkillSchema>;
/** A session as it is stored. */
export type SessionState = z.infer<typeof sessionSchema>;
/** The whole state as it is stored. */
export type StoredState = z.infer<typeof storedStateSchema>;
