import { z } from 'zod';

import { MAX_ENUM_NAMES, MAX_SEARCH_RESULTS, READ_BYTES_PER_CALL } from './limits';
import type { ToolName } from './schema';
import { count } from './text';

/** What the texts of the tools depend on. */
export interface ToolTexts {
	prefix: string;
	/** Names that the model may load. */
	names: string[];
	/** The catalog, for agents that have no Skill Catalog Prompt; empty: left out. */
	catalog: string;
	/** Instructions of pinned skills that no catalog delivered. */
	pins: string[];
}

/** Gives back the description of a tool as the model reads it. */
export function describeTool(tool: ToolName, texts: ToolTexts): string {
	return DESCRIPTIONS[tool](texts);
}

const DESCRIPTIONS: Record<ToolName, (texts: ToolTexts) => string> = {
	load_skill: ({ names, catalog, pins, prefix }) =>
		[
			"Load a skill: returns its full instructions and lists its files. Call it before you work on a task that fits a skill's description, then follow the instructions.",
			names.length === 0
				? 'There are no skills yet.'
				: `${count(names.length, 'skill')} available.`,
			names.length > MAX_ENUM_NAMES ? `Find them with ${prefix}search_skills.` : '',
			catalog,
			pins.length > 0 ? `These skills are always loaded; follow them:\n\n${pins.join('\n\n')}` : '',
		]
			.filter((part) => part !== '')
			.join('\n\n'),
	unload_skill: () =>
		'Unload a skill that is no longer needed, to free its slot for another one. Only needed when the maximum number of loaded skills is reached or a skill no longer applies.',
	read_skill_file: ({ prefix }) =>
		`Read files of a skill (scripts, references, assets) by the paths that ${prefix}load_skill listed. Several paths in one call are fine. Long files come in parts of at most ${READ_BYTES_PER_CALL} bytes; go on with offset.`,
	search_skills: () =>
		`Find skills by words from the task. Returns up to ${MAX_SEARCH_RESULTS} names with descriptions.`,
};

/**
 * Gives back the schema that the model sees. It accepts anything, because in AI Agent 1 and 2 a
 * refusal by the schema ends the whole workflow; the strict check comes after, as an answer.
 */
export function modelSchema(tool: ToolName, { names }: ToolTexts) {
	const some = names.slice(0, MAX_ENUM_NAMES) as [string, ...string[]];
	const listed = names.length > 0 && names.length <= MAX_ENUM_NAMES;
	const known = lenient(
		(listed ? z.enum(some) : z.string()).describe('Name of the skill, exactly as listed'),
	);
	const named = lenient(z.string().describe('Name of the skill, exactly as listed'));
	const shapes = {
		load_skill: { skill_name: known },
		unload_skill: { skill_name: lenient(z.string().describe('Name of the loaded skill')) },
		read_skill_file: {
			skill_name: named,
			paths: lenient(
				z
					.array(z.string())
					.describe("Paths of the files, relative to the skill's folder, e.g. references/guide.md"),
			),
			offset: lenient(z.number().int().optional().describe('Byte to start at, for long files')),
			limit: lenient(z.number().int().optional().describe('Most bytes to return')),
		},
		search_skills: {
			query: lenient(z.string().describe('Words from the task, e.g. "invoice pdf"')),
			limit: lenient(z.number().int().optional().describe('Most results')),
		},
	};
	return z.object(shapes[tool]).passthrough();
}

/** Gives back a schema that lets any value through but still describes and requires its own. */
function lenient<T extends z.ZodTypeAny>(schema: T) {
	const open = schema
		.catch((context: { input: unknown }) => context.input as T['_output'])
		.describe(schema.description ?? '');
	// A schema that catches all counts as optional, and would vanish from the required ones. Last,
	// because each method of zod gives back a copy.
	open.isOptional = () => schema.isOptional();
	return open;
}
