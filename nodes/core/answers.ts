import type { Diagnostic } from './errors';
import { MAX_LISTED_RESOURCES, MAX_NAMES_IN_ANSWER, MAX_SKILL_FILE_BYTES } from './limits';
import { count, echo, escapeMarkup, oneLine, safeText } from './text';
import type { SkillMetadata, SkillResource } from './types';

/** What the texts need to know of the tools: their names may carry a prefix. */
export interface ToolNames {
	prefix: string;
}

/** Gives back names as a list that says how many it left out. */
export function nameList(names: string[]): string {
	if (names.length === 0) return '(none)';
	const shown = names.slice(0, MAX_NAMES_IN_ANSWER).join(', ');
	const rest = names.length - MAX_NAMES_IN_ANSWER;
	return rest > 0 ? `${shown} and ${count(rest, 'more')}`.replace(/mores?$/, 'more') : shown;
}

/** Gives back a SKILL.md's body for the model: wrapped, `{baseDir}` filled in, never evaluated. */
export function skillContent(skill: SkillMetadata, body: string): string {
	const dir = oneLine(skill.directory);
	// Put in by a function, as "$&" in a folder's name must stay what it is; and made safe after,
	// as "<{baseDir}>" must not become one of our tags.
	const text = safeText(body.replaceAll('{baseDir}', () => dir)).trim();
	const tag = `<skill_content name="${escapeMarkup(skill.name)}" dir="${escapeMarkup(dir)}">`;
	return `${tag}\n${text}\n</skill_content>`;
}

/** Gives back the list of a skill's files, or nothing where there are none. */
export function resourceList(resources: SkillResource[], { prefix }: ToolNames): string {
	if (resources.length === 0) return '';
	const lines = resources
		.slice(0, MAX_LISTED_RESOURCES)
		.map(({ type, path }) => `- [${type}] \`${oneLine(path).replaceAll('`', '')}\``);
	const rest = resources.length - lines.length;
	if (rest > 0) lines.push(`(${count(rest, 'file')} more not listed)`);
	const how = `Paths are relative to the skill's dir. Read them with \`${prefix}read_skill_file\`.`;
	return `\n\nSkill Resources:\n${lines.join('\n')}\n${how}`;
}

/** Gives back the answer for a name that no visible skill has. */
export function notFound(name: unknown, names: string[], { prefix }: ToolNames): string {
	if (names.length === 0) {
		return `Error: Skill '${echo(name)}' not found. There are no skills yet. Answer without one.`;
	}
	const more =
		names.length > MAX_NAMES_IN_ANSWER ? ` Use \`${prefix}search_skills\` to find others.` : '';
	return `Error: Skill '${echo(name)}' not found. Available skills: ${nameList(names)}.${more}`;
}

/** Gives back the answer for a skill whose SKILL.md is there but cannot be used. */
export function unusable({ code, message, path = '' }: Diagnostic): string {
	if (code === 'skill-too-large') {
		const limit = MAX_SKILL_FILE_BYTES.toLocaleString('en-US');
		return `Error: Skill file at ${oneLine(path)} exceeds maximum size (${limit} bytes).`;
	}
	const step = code === 'skill-not-utf8' ? 'decode' : 'read';
	return `Error: Failed to ${step} skill file at ${oneLine(path)}: ${oneLine(message)}`;
}

/** Gives back the answer for a skill whose text the model already has. */
export function alreadyLoaded(name: string): string {
	return `Skill '${name}' is already loaded. Its instructions are already active.`;
}

/** Gives back the answer for a pinned skill, which neither load nor unload changes. */
export function alreadyPinned(name: string): string {
	return `Skill '${name}' is already loaded: the workflow keeps it loaded at all times. Follow the instructions that you were given for it.`;
}

/** Gives back the answer when the budget is used up. */
export function budgetReached(
	name: string,
	loaded: string[],
	maxLoaded: number,
	{ prefix }: ToolNames,
): string {
	return `Error: Cannot load skill '${name}'. Maximum number of simultaneously loaded skills reached (${maxLoaded}). Currently loaded: ${nameList(loaded)}. Use \`${prefix}unload_skill("skill-name")\` to unload a skill that you no longer need, then load this one again.`;
}

/** Gives back the answer for a skill that cannot be unloaded because it is not loaded. */
export function notLoaded(name: unknown, loaded: string[]): string {
	return `Error: Skill '${echo(name)}' is not currently loaded. Currently loaded skills: ${nameList(loaded)}.`;
}

/** Gives back the answer for files of a skill that must be loaded before they are read. */
export function loadFirst(name: string, { prefix }: ToolNames): string {
	return `Error: The files of skill '${name}' can be read once it is loaded. Call \`${prefix}load_skill("${name}")\` first.`;
}

/** Gives back the confirmation of an unload, with the free slots. */
export function unloaded(name: string, remaining: number, maxLoaded: number): string {
	const free = Math.max(maxLoaded - remaining, 0);
	return `Skill '${name}' has been unloaded. Currently loaded: ${remaining}/${maxLoaded} (${count(free, 'slot')} available). Note: the instructions that you got earlier stay in the conversation history, but the skill is no longer active and not marked as [Loaded].`;
}

/** Gives back why arguments were refused, and what the tool takes. */
export function badArguments(tool: string, problems: string[], allowed: string[]): string {
	return `Error: ${tool} was called with arguments it does not take: ${problems.join('; ')}. It takes only: ${allowed.join(', ')}. Call it again with just these.`;
}

/** Gives back the answer for a path that leaves the skill's folder. */
export function badPath(path: string): string {
	return `Error: The path '${echo(path)}' is not allowed. Give a path inside the skill's folder, such as 'references/guide.md'.`;
}
