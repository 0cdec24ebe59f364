import { resourceList, skillContent, type ToolNames } from './answers';
import type { LoadedStore } from './loaded';
import type { LoadedSkill } from './schema';
import { findSkill } from './skillset';
import { oneLine } from './text';
import { CHANGED, toEntry } from './tools';
import type { SkillMetadata, SkillResource, SkillSet, SkillSnapshot } from './types';
import { dropDeleted, visibleSkills } from './visible';

/** What is known of a conversation when its next prompt is written. */
export interface Conversation extends ToolNames {
	skills: SkillSet;
	snapshot: SkillSnapshot;
	store: LoadedStore;
	execution: string;
	/** Other Skills Sources of the workflow, by origin. */
	otherOrigins?: string[];
	/** Skills that are always given in full. */
	pinned: string[];
	/** Give the instructions of loaded skills again. */
	repeatInstructions: boolean;
	/** What the user wrote; "/name …" asks for a skill outright. */
	message: string;
	/** Above it, what the user asks for is given for one message only. */
	maxLoaded: number;
	now: () => number;
}

/** What the prompt must say about loaded skills. */
export interface Delivery {
	loaded: Map<string, SkillResource[]>;
	tail: string[];
	/** Short sentences for the person. */
	hints: string[];
}

const HEADING =
	'## Loaded Skills\n\nThese skills are active in this conversation. Their full instructions:';

/**
 * Gives back the instructions that the model needs to have again, and records that it got them.
 * Deleted skills are dropped, changed ones said to have changed.
 */
export async function deliverLoaded(conversation: Conversation): Promise<Delivery> {
	const { store, snapshot, pinned } = conversation;
	const before = await store.read();
	const kept = (await dropDeleted(conversation, snapshot)).filter((one) => !one.pinned);
	const delivery: Delivery = { loaded: new Map(), tail: [], hints: [] };
	const dropped = before.filter(
		(one) => !one.pinned && !kept.some(({ name }) => name === one.name),
	);
	// What another source has given is loaded, but nothing that this catalog lists.
	const { otherOrigins = [] } = conversation;
	const own = kept.filter(
		({ name, source = '' }) => !otherOrigins.includes(source) || findSkill(snapshot.skills, name),
	);
	for (const one of own) delivery.loaded.set(one.name, one.resources);

	const texts: string[] = [];
	const give = async (skill: SkillMetadata | undefined, isPinned: boolean) => {
		if (skill) texts.push(await deliverOne(conversation, skill, isPinned, kept, delivery));
	};
	const asked = askedFor(conversation);
	const pins = pinned.map((name) => findSkill(snapshot.skills, name));
	for (const pin of new Set(pins)) await give(pin, true);
	if (asked && !pins.includes(asked)) await give(asked, false);
	for (const { name } of conversation.repeatInstructions ? kept : []) {
		const skill = findSkill(snapshot.skills, name);
		if (skill !== asked && !pins.includes(skill)) await give(skill, false);
	}
	if (texts.length > 0) delivery.tail.push([HEADING, ...texts].join('\n\n'));
	delivery.tail.push(...dropped.map(droppedNote));
	return delivery;
}

async function deliverOne(
	conversation: Conversation,
	skill: SkillMetadata,
	isPinned: boolean,
	kept: LoadedSkill[],
	delivery: Delivery,
): Promise<string> {
	const { skills, store } = conversation;
	const document = await skills.load(skill);
	if ('problem' in document) return `(Error: ${oneLine(document.problem)})`;
	const resources = await skills.resources(skill);
	const entry = toEntry(conversation, skill, document.contentHash, resources);
	const { outcome } = await (isPinned
		? store.record({ ...entry, pinned: true }, Number.POSITIVE_INFINITY)
		: store.record(entry, conversation.maxLoaded));
	const earlier = kept.find((one) => one.name === skill.name);
	const isChanged = earlier !== undefined && earlier.hash !== document.contentHash;
	if (!earlier && !isPinned) {
		skills.used?.(skill);
		delivery.hints.push(askedHint(skill, outcome === 'full'));
	}
	delivery.loaded.set(skill.name, entry.resources);
	const note = isChanged ? `${CHANGED}\n` : '';
	return note + skillContent(skill, document.body) + resourceList(resources, conversation);
}

function askedHint({ name }: SkillMetadata, isFull: boolean): string {
	const given = `The skill "${name}" has been activated by the user`;
	return isFull
		? `${given}, for this message only: as many skills are loaded as "Max Loaded Skills" allows.`
		: `${given}.`;
}

/** Gives back the skill that the message asks for outright: "/name" as its first word. */
function askedFor({ message, snapshot }: Conversation): SkillMetadata | undefined {
	const word = /^\s*\/([^\s/]+)(?:\s|$)/.exec(message)?.[1];
	return word === undefined ? undefined : findSkill(snapshot.skills, word);
}

/**
 * Gives back the instructions of pinned skills that no catalog delivered in this execution, for
 * agents that have only the tool.
 */
export async function undeliveredPins(
	conversation: Pick<Conversation, 'skills' | 'snapshot' | 'store' | 'pinned' | 'prefix'> & {
		catalog?: string;
	},
): Promise<string[]> {
	const { skills, snapshot, pinned, catalog = '' } = conversation;
	// Nor is a store asked for nothing that may take its time to answer.
	if (pinned.length === 0) return [];
	const delivered = (await conversation.store.read()).filter(
		(one) => catalog !== '' && one.execution === catalog,
	);
	const texts: string[] = [];
	for (const skill of new Set(pinned.map((name) => findSkill(snapshot.skills, name)))) {
		if (!skill || delivered.some((one) => one.name === skill.name)) continue;
		const document = await skills.load(skill);
		if ('problem' in document) texts.push(`(Error: ${oneLine(document.problem)})`);
		else {
			const resources = await skills.resources(skill);
			texts.push(skillContent(skill, document.body) + resourceList(resources, conversation));
		}
	}
	return texts;
}

/** Gives back the pinned names that no skill has. */
export function unknownPins(snapshot: SkillSnapshot, pinned: string[]): string[] {
	return pinned.filter((name) => !findSkill(snapshot.skills, name));
}

/** Gives back the names that the model may load. */
export function offeredNames(snapshot: SkillSnapshot, pinned: string[]): string[] {
	return visibleSkills(snapshot, pinned).map((skill) => skill.name);
}

function droppedNote({ name }: LoadedSkill): string {
	return `Note: the skill '${name}' was removed from the library and is no longer loaded.`;
}
