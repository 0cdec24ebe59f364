import type { ZodError } from 'zod';

import * as answers from './answers';
import { messageOf } from './errors';
import type { LoadedStore } from './loaded';
import { isSameDelivery } from './loaded';
import {
	MAX_ARGUMENT_PROBLEMS,
	MAX_SEARCH_RESULTS,
	MAX_STATE_PATH_LENGTH,
	MAX_STATE_RESOURCES,
} from './limits';
import { readFilesOfSkill } from './reader';
import { toolArguments, type LoadedSkill, type ToolName } from './schema';
import { searchSkills } from './search';
import { findSkill } from './skillset';
import { count, echo, oneLine } from './text';
import type { SkillMetadata, SkillSet, SkillSnapshot } from './types';
import { brokenSkill, dropDeleted, skillsNamed, visibleSkills } from './visible';

/** All that a tool call needs; one agent in one conversation in one execution. */
export interface ToolContext {
	skills: SkillSet;
	store: LoadedStore;
	maxLoaded: number;
	prefix: string;
	/**
	 * Names the conversation of one agent about one item in one execution: what was handed over under
	 * it, that model has. Empty: unknown, then nothing counts as delivered.
	 */
	execution: string;
	/** Under this a catalog hands over in this execution; empty: its prompt is not this agent's. */
	catalog?: string;
	/** The texts that this conversation has got by a call, by name and hash. */
	given?: Set<string>;
	/** Other Skills Sources of the workflow, by origin: what came from them is not judged by this one. */
	otherOrigins?: string[];
	/** Names of the skills that the workflow keeps loaded. */
	pinned: string[];
	/** Files may be read of loaded skills only. */
	readLoadedOnly?: boolean;
	now: () => number;
}

/** What the model reads, and the short sentence that the person sees. */
export interface ToolAnswer {
	text: string;
	hint?: string;
}

/** Gives back the answer of a tool for the model's raw arguments; it never throws. */
export async function runTool(
	context: ToolContext,
	tool: ToolName,
	rawArguments: unknown,
): Promise<ToolAnswer> {
	const refused = refusal(context.prefix, tool, rawArguments);
	if (refused) return refused;
	try {
		return await TOOLS[tool](context, toolArguments[tool].parse(rawArguments) as never);
	} catch (error) {
		return { text: `Error: ${context.prefix}${tool} failed: ${oneLine(messageOf(error))}` };
	}
}

/** Gives back the answer to arguments that a tool does not take, null when it takes them. */
export function refusal(prefix: string, tool: ToolName, rawArguments: unknown): ToolAnswer | null {
	const parsed = toolArguments[tool].safeParse(rawArguments);
	if (parsed.success) return null;
	const allowed = Object.keys(toolArguments[tool].shape);
	return { text: answers.badArguments(prefix + tool, problemsOf(parsed.error), allowed) };
}

const TOOLS = {
	load_skill: loadSkill,
	unload_skill: unloadSkill,
	read_skill_file: readSkillFile,
	search_skills: search,
};

/** What stands against loading is said only after a fresh look at the sources. */
async function loadSkill(
	context: ToolContext,
	{ skill_name: name }: { skill_name: string },
): Promise<ToolAnswer> {
	const skill = await surely(context, async (snapshot) => await admit(context, snapshot, name));
	return 'text' in skill ? skill : await deliver(context, skill);
}

/** Gives back a skill by what is remembered; an answer that says no by how it is right now. */
async function surely(
	{ skills }: ToolContext,
	choose: (snapshot: SkillSnapshot) => Promise<SkillMetadata | ToolAnswer>,
): Promise<SkillMetadata | ToolAnswer> {
	const chosen = await choose(await skills.refresh());
	return 'text' in chosen ? await choose(await skills.refresh(true)) : chosen;
}

/** Gives back the skill if it may be loaded now, else the answer that says why not. */
async function admit(
	context: ToolContext,
	snapshot: SkillSnapshot,
	name: string,
): Promise<SkillMetadata | ToolAnswer> {
	const skill = await find(context, snapshot, name);
	if ('text' in skill) return skill;
	const loaded = await dropDeleted(context, snapshot);
	if (isPinned(context, snapshot, skill)) return { text: answers.alreadyPinned(skill.name) };
	const earlier = loaded.find((one) => one.name === skill.name);
	if (earlier && (await hasText(context, earlier, skill))) {
		return { text: answers.alreadyLoaded(skill.name) };
	}
	const slots = loaded.filter((one) => !one.pinned).map((one) => one.name);
	if (!earlier && slots.length >= context.maxLoaded) {
		return { text: answers.budgetReached(skill.name, slots, context.maxLoaded, context) };
	}
	return skill;
}

/** Tells whether the model got the text in this conversation, by a call or by a catalog. */
async function hasText(
	{ skills, execution, catalog = '', given }: ToolContext,
	earlier: LoadedSkill,
	skill: SkillMetadata,
): Promise<boolean> {
	// Discovery reads no more of a file than its header; what it says below, only the file tells.
	const document = skill.contentHash === undefined ? await skills.load(skill) : skill;
	const hash = 'problem' in document ? undefined : document.contentHash;
	if (hash === undefined) return false;
	// Of several conversations in one execution, the state knows only the last that got the text.
	if (given?.has(textKey(skill.name, hash))) return true;
	return [execution, catalog].some((id) => isSameDelivery(earlier, { execution: id, hash }));
}

function textKey(name: string, hash: string): string {
	return `${hash} ${name}`;
}

/** Gives back the skill that the model means, or the answer that there is none. */
async function find(
	context: ToolContext,
	snapshot: SkillSnapshot,
	name: string,
): Promise<SkillMetadata | ToolAnswer> {
	const visible = await visibleTo(context, snapshot);
	return findSkill(visible, name) ?? noSkill(context, snapshot, visible, name);
}

async function visibleTo(context: ToolContext, snapshot: SkillSnapshot): Promise<SkillMetadata[]> {
	// A record of a pin says only that it was delivered once; whether it is pinned, the node knows.
	const loaded = (await context.store.read()).flatMap((one) => (one.pinned ? [] : one.name));
	return visibleSkills(snapshot, [...context.pinned, ...loaded]);
}

function noSkill(
	context: ToolContext,
	snapshot: SkillSnapshot,
	visible: SkillMetadata[],
	name: string,
): ToolAnswer {
	const broken = brokenSkill(snapshot, name);
	if (broken) return { text: answers.unusable(broken) };
	const names = visible.map((one) => one.name);
	return { text: answers.notFound(name, names, context) };
}

async function deliver(context: ToolContext, skill: SkillMetadata): Promise<ToolAnswer> {
	const document = await context.skills.load(skill);
	if ('problem' in document) return { text: `Error: ${oneLine(document.problem)}` };
	const resources = await context.skills.resources(skill);
	const entry = toEntry(context, skill, document.contentHash, resources);
	const { outcome, previous, loaded } = await context.store.record(entry, context.maxLoaded);
	if (outcome === 'already') return { text: answers.alreadyLoaded(skill.name) };
	if (outcome === 'full') {
		const slots = loaded.filter((one) => !one.pinned).map((one) => one.name);
		return { text: answers.budgetReached(skill.name, slots, context.maxLoaded, context) };
	}
	context.given?.add(textKey(skill.name, document.contentHash));
	const content = answers.skillContent(skill, document.body);
	const text = content + answers.resourceList(resources, context);
	if (outcome === 'new') {
		context.skills.used?.(skill);
		return { text, hint: `The skill "${skill.name}" has been activated.` };
	}
	const changed = previous?.hash !== document.contentHash;
	return {
		text: `${changed ? CHANGED : AGAIN}\n${text}`,
		hint: `The skill "${skill.name}" was active; its ${changed ? 'changed ' : ''}instructions were given again.`,
	};
}

const AGAIN =
	'This skill was loaded earlier in the conversation and keeps its slot. Here are its instructions again:';
/** Stands before the instructions of a skill that changed since the model got them. */
export const CHANGED =
	'This skill has changed since it was loaded. These instructions replace the earlier ones:';

/** Gives back what the state remembers of a skill that is handed over now. */
export function toEntry(
	context: Pick<ToolContext, 'execution' | 'now' | 'skills'>,
	skill: SkillMetadata,
	hash: string,
	resources: LoadedSkill['resources'],
): LoadedSkill {
	return {
		name: skill.name,
		hash,
		at: context.now(),
		execution: context.execution,
		...(context.skills.origin === undefined ? {} : { source: context.skills.origin }),
		resources: resources
			.filter(({ path }) => path.length <= MAX_STATE_PATH_LENGTH)
			.slice(0, MAX_STATE_RESOURCES),
	};
}

async function unloadSkill(
	context: ToolContext,
	{ skill_name: name }: { skill_name: string },
): Promise<ToolAnswer> {
	const snapshot = await context.skills.refresh();
	const pin = findSkill(snapshot.skills, name);
	if (pin && isPinned(context, snapshot, pin)) {
		return { text: `${answers.alreadyPinned(pin.name)} It cannot be unloaded.` };
	}
	const loaded = (await context.store.read()).filter((one) => !one.pinned);
	const names = loaded.map((one) => one.name);
	const target = names.find((one) => one === name) ?? names.find((one) => one === pin?.name);
	if (target === undefined || !(await context.store.forget(target))) {
		return { text: answers.notLoaded(name, names) };
	}
	const remaining = (await context.store.read()).filter((one) => !one.pinned).length;
	return {
		text: answers.unloaded(target, remaining, context.maxLoaded),
		hint: `The skill "${target}" has been unloaded.`,
	};
}

async function readSkillFile(
	context: ToolContext,
	args: { skill_name: string; paths: string[]; offset?: number; limit?: number },
): Promise<ToolAnswer> {
	const skill = await surely(context, (snapshot) => find(context, snapshot, args.skill_name));
	if ('text' in skill) return skill;
	if (context.readLoadedOnly && !(await isLoaded(context, skill))) {
		return { text: answers.loadFirst(skill.name, context) };
	}
	const text = await readFilesOfSkill(context.skills, skill, args, context);
	return { text, hint: `Read ${args.paths.map(echo).join(', ')} of the skill "${skill.name}".` };
}

async function search(
	context: ToolContext,
	{ query, limit }: { query: string; limit?: number },
): Promise<ToolAnswer> {
	const snapshot = await context.skills.refresh(true);
	// A record of a pin says only that it was delivered once; whether it is pinned, the node knows.
	const chosen = (await context.store.read()).filter((one) => !one.pinned);
	const loaded = new Set([...context.pinned, ...chosen.map((one) => one.name)]);
	const visible = visibleSkills(snapshot, context.pinned);
	const hits = searchSkills(visible, query).slice(0, limit ?? MAX_SEARCH_RESULTS);
	if (hits.length === 0) {
		const total =
			visible.length === 0
				? 'There are no skills yet.'
				: `None of the ${visible.length} skills fits.`;
		return { text: `No skill found for '${echo(query)}'. ${total}` };
	}
	const lines = hits.map(
		({ name, description }) =>
			`- **${name}**${loaded.has(name) ? ' [Loaded]' : ''}: ${description}`,
	);
	return { text: `${lines.join('\n')}\nLoad one with \`${context.prefix}load_skill\`.` };
}

async function isLoaded(context: ToolContext, skill: SkillMetadata): Promise<boolean> {
	const loaded = (await context.store.read()).filter((one) => !one.pinned);
	if (loaded.some(({ name }) => name === skill.name)) return true;
	return isPinned(context, await context.skills.refresh(), skill);
}

function isPinned(context: ToolContext, snapshot: SkillSnapshot, skill: SkillMetadata): boolean {
	return skillsNamed(snapshot, context.pinned).has(skill);
}

// A model can send any number of wrong values; the answer names the first ones.
function problemsOf({ issues }: ZodError): string[] {
	const problems = issues.slice(0, MAX_ARGUMENT_PROBLEMS).map((issue) => {
		if (issue.code === 'unrecognized_keys') {
			const keys = issue.keys.slice(0, MAX_ARGUMENT_PROBLEMS);
			return `unknown ${keys.map((key) => `'${echo(key)}'`).join(', ')}`;
		}
		return `'${issue.path.map(String).join('.') || 'arguments'}' ${issue.message.toLowerCase()}`;
	});
	const rest = issues.length - problems.length;
	return rest > 0 ? [...problems, `and ${count(rest, 'problem')} more`] : problems;
}
