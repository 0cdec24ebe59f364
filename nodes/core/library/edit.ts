import { randomUUID } from 'node:crypto';

import { normalizeName } from '../validate';
import { mayWrite, scopeOf } from './access';
import {
	checkedContent,
	checkedDescription,
	checkedExtras,
	checkedName,
	checkedOwner,
	checkedPath,
	checkedTags,
	checkTogether,
	invalid,
	notFound,
	pathKey,
	tagKey,
} from './checks';
import { contentHashOf, fileEntry, infoOf, TEXT_PATH, textEntry, type NewEntry } from './content';
import { checkLoadable, textFields } from './document';
import type { Entry, Writer } from './repository';
import {
	LibraryError,
	type Actor,
	type LibraryFileInfo,
	type LibrarySkill,
	type NewSkill,
	type SkillChanges,
} from './types';

/** The scope of what is done here after the permission was checked. */
const EVERYBODY = { user: null, isEverybody: true };

/** Makes a skill and gives it back. */
export async function addSkill(
	writer: Writer,
	actor: Actor,
	input: NewSkill,
): Promise<LibrarySkill> {
	const ownerId = checkedOwner(input.ownerId === undefined ? actor.user : input.ownerId);
	checkOwner(actor, ownerId);
	const now = new Date(Date.now()).toISOString();
	const { tags, tagKeys } = checkedTags(input.tags ?? []);
	const fields = {
		name: checkedName(input.name),
		description: checkedDescription(input.description),
		tags,
		extras: checkedExtras(input.extras ?? {}),
	};
	const text = textEntry(checkedContent(input.content));
	checkLoadable(fields, text.size);
	const put = [text, ...checkedFiles(input.files ?? [])];
	const skill: LibrarySkill = {
		id: randomUUID(),
		...fields,
		isPublic: checkedVisibility(ownerId, input.isPublic),
		ownerId,
		version: 1,
		contentHash: contentHashOf(fields, put),
		createdAt: now,
		updatedAt: now,
	};
	const nameKey = await freeName(writer, skill);
	const searched = Buffer.from(text.content).toString();
	const by = scopeOf(actor).user;
	await writer.save({ event: 'created', skill, nameKey, tagKeys, by, put, dropped: [], searched });
	return skill;
}

/** Changes what is given of a skill, and gives it back; a change to the same changes nothing. */
export async function changeSkill(
	writer: Writer,
	actor: Actor,
	before: LibrarySkill,
	changes: SkillChanges,
): Promise<LibrarySkill> {
	const ownerId = changes.ownerId === undefined ? before.ownerId : checkedOwner(changes.ownerId);
	if (ownerId !== before.ownerId) checkOwner(actor, ownerId);
	const isPublic =
		changes.isPublic === undefined && ownerId !== null
			? before.isPublic
			: checkedVisibility(ownerId, changes.isPublic);
	const text = changes.content === undefined ? [] : [textEntry(checkedContent(changes.content))];
	const entries = await entriesOf(writer, before);
	const [{ size }] = [...text, ...entries.filter(({ path }) => path === TEXT_PATH)];
	const fields = changedFields(before, changes, size);
	const files = changes.files === undefined ? undefined : checkedFiles(changes.files);
	const edit = editOf(entries, text, files);
	return await save(writer, actor, before, { ...before, ...fields, ownerId, isPublic }, edit);
}

/** Adds or replaces a file of a skill, and gives it back. */
export async function withFile(
	writer: Writer,
	actor: Actor,
	skill: LibrarySkill,
	file: { path: string; content: Uint8Array },
): Promise<LibraryFileInfo> {
	const entries = await entriesOf(writer, skill);
	const added = fileEntry(file);
	const others = filesIn(entries).filter(({ path }) => path !== added.path);
	checkTogether([...others, added]);
	const edit = editOf(entries, [added], undefined);
	await save(writer, actor, skill, skill, edit);
	return infoOf(edit.after.find(({ path }) => path === added.path) ?? added);
}

/** Removes a file of a skill, and gives back what it was. */
export async function withoutFile(
	writer: Writer,
	actor: Actor,
	skill: LibrarySkill,
	path: string,
): Promise<LibraryFileInfo> {
	const entries = await entriesOf(writer, skill);
	const key = pathKey(checkedPath(path));
	const gone = entries.find((entry) => entry.pathKey === key);
	if (gone === undefined) throw notFound('file');
	const after = entries.filter((entry) => entry !== gone);
	await save(writer, actor, skill, skill, { after, put: [], dropped: [key] });
	return infoOf(gone);
}

/** What becomes of the files of a skill. */
interface FileEdit {
	after: Entry[];
	put: NewEntry[];
	dropped: string[];
}

/** Gives back what is to be stored so that `some` are there, and of the files only `all`. */
function editOf(entries: Entry[], some: NewEntry[], all: NewEntry[] | undefined): FileEdit {
	const before = new Map(entries.map((entry) => [entry.pathKey, entry]));
	const wanted = [...some, ...(all ?? [])].map((entry) => {
		// A file keeps its id when its content is replaced.
		const earlier = before.get(entry.pathKey);
		return earlier === undefined ? entry : { ...entry, id: earlier.id };
	});
	const keys = new Set(wanted.map((entry) => entry.pathKey));
	const kept = entries.filter(
		(entry) => !keys.has(entry.pathKey) && (all === undefined || entry.path === TEXT_PATH),
	);
	const put = wanted.filter((entry) => {
		const earlier = before.get(entry.pathKey);
		return earlier?.hash !== entry.hash || earlier.path !== entry.path;
	});
	const after = [...kept, ...wanted];
	const left = new Set(after.map((entry) => entry.pathKey));
	return { after, put, dropped: [...before.keys()].filter((key) => !left.has(key)) };
}

async function save(
	writer: Writer,
	actor: Actor,
	before: LibrarySkill,
	next: LibrarySkill,
	{ after, put, dropped }: FileEdit,
): Promise<LibrarySkill> {
	const contentHash = contentHashOf(next, after);
	const isMoved = next.ownerId !== before.ownerId || next.isPublic !== before.isPublic;
	if (contentHash === before.contentHash && !isMoved) return before;
	const skill: LibrarySkill = {
		...next,
		contentHash,
		version: before.version + 1,
		updatedAt: later(before.updatedAt),
	};
	const nameKey = await freeName(writer, skill);
	const text = put.find(({ path }) => path === TEXT_PATH);
	const isReworded = ['name', 'description', 'tags'].some(
		(field) => JSON.stringify(next[field as 'name']) !== JSON.stringify(before[field as 'name']),
	);
	await writer.save({
		event: 'updated',
		skill,
		nameKey,
		tagKeys: skill.tags.map(tagKey),
		by: scopeOf(actor).user,
		before,
		put,
		dropped,
		searched:
			text !== undefined
				? Buffer.from(text.content).toString()
				: isReworded
					? (await writer.text({ id: skill.id }, EVERYBODY))?.content
					: undefined,
	});
	return skill;
}

async function entriesOf(writer: Writer, { id }: LibrarySkill): Promise<Entry[]> {
	return (await writer.entries({ id }, EVERYBODY)) ?? [];
}

/** Gives back what becomes of the fields; those of an earlier package may not be loadable as they are. */
function changedFields(before: LibrarySkill, changes: SkillChanges, textSize: number) {
	const { name, description, tags, extras } = changes;
	const given = [name, description, tags, extras, changes.content];
	if (given.every((value) => value === undefined)) return {};
	const fields = {
		name: name === undefined ? before.name : checkedName(name),
		description: description === undefined ? before.description : checkedDescription(description),
		tags: tags === undefined ? before.tags : checkedTags(tags).tags,
		extras: extras === undefined ? textFields(before.extras) : checkedExtras(extras),
	};
	checkLoadable(fields, textSize);
	return fields;
}

function checkedFiles(files: NonNullable<NewSkill['files']>): NewEntry[] {
	const entries = files.map(fileEntry);
	checkTogether(entries);
	return entries;
}

function filesIn(entries: Entry[]): Entry[] {
	return entries.filter(({ path }) => path !== TEXT_PATH);
}

/** Gives back whether everybody reads a skill; a private one that everybody reads is refused. */
function checkedVisibility(ownerId: string | null, isPublic: boolean | undefined): boolean {
	if (ownerId !== null) return isPublic === true;
	if (isPublic !== false) return true;
	throw invalid(
		'A skill without an owner is a system skill, which everybody reads: it cannot be private.',
		'Set the user or the owner whose it shall be, or choose "System" as its visibility.',
	);
}

/** Refuses to make a skill, or give one, to somebody else: nobody must find skills they did not make. */
function checkOwner(actor: Actor, ownerId: string | null): void {
	if (mayWrite(scopeOf(actor), { ownerId })) return;
	throw ownerId === null
		? invalid(
				'Only an administrator makes system skills, which belong to no user.',
				'Set the user, or switch "Act as administrator" on.',
			)
		: invalid('Only an administrator gives a skill to another user.');
}

/** Gives back the name as it is compared, unless the owner has another skill of that name. */
async function freeName(writer: Writer, skill: LibrarySkill): Promise<string> {
	const nameKey = normalizeName(skill.name);
	const { ownerId } = skill;
	const other = await writer.find({ nameKey, ownerId }, EVERYBODY);
	if (other === null || other.id === skill.id) return nameKey;
	throw new LibraryError(
		'name-taken',
		`There is already a skill "${other.name}" of the same owner.`,
		'Update that one, or choose another name. Case and the way of writing make no difference.',
	);
}

/** Gives back the time, but after another one: clocks differ between machines, and go back. */
function later(than: string): string {
	return new Date(Math.max(Date.now(), Date.parse(than) + 1)).toISOString();
}
