import { mayWrite, scopeOf, type Scope } from './access';
import { changesFor } from './changes';
import { checkedNumber, checkedPath, checkedTime, invalid, notFound, pathKey } from './checks';
import { infoOf, TEXT_PATH } from './content';
import { addSkill, changeSkill, withFile, withoutFile } from './edit';
import { cursorAfter, filterOf, lookupOf } from './query';
import type { Lookup, Reader, Repository, Writer } from './repository';
import {
	LibraryError,
	type Actor,
	type Library,
	type LibraryDatabase,
	type LibrarySkill,
	type SkillRef,
} from './types';

/** The largest number of a column of SQL's type INTEGER. */
const MAX_VERSION = 2 ** 31 - 1;

/** Gives back the library that the records hold, to be opened by anybody. */
export function createLibrary(records: Repository): LibraryDatabase {
	return {
		id: records.id,
		libraryId: records.libraryId,
		positions: records.positions,
		as: (actor) => libraryFor(records, actor),
		close: async () => await records.close(),
	};
}

function libraryFor(records: Repository, actor: Actor): Library {
	const scope = scopeOf(actor);
	const edit = async <T>(
		ref: SkillRef,
		work: (skill: LibrarySkill, writer: Writer) => Promise<T>,
		{ ifVersion, what }: { ifVersion?: number; what?: string } = {},
	) =>
		await records.write(async (writer) => {
			const skill = await permitted(writer, scope, ref, 'write', what);
			checkVersion(skill, ifVersion);
			return await work(skill, writer);
		});
	return {
		create: async (skill) => await records.write(async (w) => await addSkill(w, actor, skill)),
		find: async (ref) => await permitted(records, scope, ref, 'read'),
		text: async (ref) =>
			await seen(records, scope, ref, async (lookup) => await records.text(lookup, scope)),
		get: async (ref) =>
			await seen(records, scope, ref, async (lookup) => await records.get(lookup, scope)),
		list: async (query = {}) => await page(records, scope, query),
		update: async (ref, changes, ifVersion) =>
			await edit(ref, async (skill, w) => await changeSkill(w, actor, skill, changes), {
				ifVersion,
			}),
		remove: async (ref, ifVersion) =>
			await edit(
				ref,
				async (skill, w) => {
					await w.remove(skill, new Date(Date.now()).toISOString());
					return skill;
				},
				{ ifVersion },
			),
		...filesFor(records, scope, actor, edit),
		...versionsFor(records, scope, actor, edit),
		...usageFor(records, scope),
		changes: async (after, query, limit) => await changesFor(records, scope, after, query, limit),
		stamp: records.stamp,
	};
}

type Edit = <T>(
	ref: SkillRef,
	work: (skill: LibrarySkill, writer: Writer) => Promise<T>,
	options?: { what?: string },
) => Promise<T>;

/** The one check of permissions before a skill is written, or named. */
async function permitted(
	records: Reader,
	scope: Scope,
	ref: SkillRef,
	wish: 'read' | 'write',
	what?: string,
): Promise<LibrarySkill> {
	const find = async (lookup: Lookup) => await records.find(lookup, scope);
	const skill = await seen(records, scope, ref, find, what);
	if (wish === 'write' && !mayWrite(scope, skill)) throw notFound(what);
	return skill;
}

/** Gives back what `read` finds, which asks with the scope in its one statement. */
async function seen<T>(
	records: Reader,
	scope: Scope,
	ref: SkillRef,
	read: (lookup: Lookup) => Promise<T | null>,
	what?: string,
): Promise<T> {
	const lookup = lookupOf(ref);
	const found = lookup && (await read(lookup));
	if (found !== null) return found;
	if (lookup !== null) await refuseAmbiguous(records, scope, lookup);
	throw notFound(what);
}

/** An administrator sees everybody's skills, so a name may mean several. */
async function refuseAmbiguous(records: Reader, scope: Scope, lookup: Lookup): Promise<void> {
	if (!scope.isEverybody || 'id' in lookup || lookup.ownerId !== undefined) return;
	if ((await records.find(lookup, scope)) !== null) return;
	const some = await records.list({ nameKeys: [lookup.nameKey], limit: 2 }, scope);
	if (some.length < 2) return;
	throw invalid(
		`Several users have a skill "${some[0].name}", and an administrator may mean any of them.`,
		'Name it by its ID; Get Many with the filter "Names" shows the IDs and the owners.',
	);
}

function checkVersion({ version }: LibrarySkill, ifVersion: number | undefined): void {
	if (ifVersion === undefined || version === ifVersion) return;
	throw new LibraryError(
		'version-conflict',
		`The skill is at version ${version}, not at version ${ifVersion}: somebody changed it meanwhile.`,
		'Get the skill again, apply your change to it, and update it with its new version.',
	);
}

async function page(records: Reader, scope: Scope, query: Parameters<Library['list']>[0] = {}) {
	const filter = filterOf(query);
	if (filter === null) return { skills: [] };
	const { limit } = filter;
	if (limit === undefined) return { skills: await records.list(filter, scope) };
	// One more tells whether there is a next page.
	const found = await records.list({ ...filter, limit: limit + 1 }, scope);
	const skills = found.slice(0, limit);
	return found.length > limit ? { skills, cursor: cursorAfter(filter, skills) } : { skills };
}

function filesFor(records: Repository, scope: Scope, actor: Actor, edit: Edit) {
	return {
		files: async (ref) => {
			const entriesOf = async (lookup: Lookup) => await records.entries(lookup, scope);
			const entries = await seen(records, scope, ref, entriesOf);
			return entries.filter(({ path }) => path !== TEXT_PATH).map(infoOf);
		},
		file: async (ref, path) => {
			const key = pathKey(checkedPath(path));
			const fileOf = async (lookup: Lookup) => await records.file(lookup, scope, key);
			const file = await seen(records, scope, ref, fileOf);
			if (file === undefined) throw notFound('file');
			return file;
		},
		putFile: async (ref, path, content) =>
			await edit(ref, async (skill, w) => await withFile(w, actor, skill, { path, content })),
		removeFile: async (file) => {
			const place =
				'id' in file ? await locate(records, file.id) : { skill: file.skill, path: file.path };
			return await edit(
				place.skill,
				async (skill, w) => await withoutFile(w, actor, skill, place.path),
				// Who asks by the id of a file alone must not learn whether it is there.
				'id' in file ? { what: 'file' } : {},
			);
		},
	} satisfies Partial<Library>;
}

async function locate(records: Reader, fileId: string) {
	const lookup = lookupOf({ id: fileId });
	const place = lookup && (await records.locate(fileId));
	if (!place) throw notFound('file');
	return { skill: { id: place.skillId }, path: place.path };
}

function versionsFor(records: Repository, scope: Scope, actor: Actor, edit: Edit) {
	return {
		versions: async (ref) =>
			await seen(records, scope, ref, async (lookup) => {
				const versions = await records.versions(lookup, scope);
				return versions.length === 0 ? null : versions;
			}),
		version: async (ref, version) => await versionOf(records, scope, ref, version),
		restore: async (ref, version) =>
			await edit(ref, async ({ id, ...skill }, w) => {
				const then = await versionOf(w, scope, { id }, version);
				const { name, description, content, tags, extras, files } = then;
				const changes = { name, description, content, tags, extras, files };
				return await changeSkill(w, actor, { id, ...skill }, changes);
			}),
	} satisfies Partial<Library>;
}

async function versionOf(records: Reader, scope: Scope, ref: SkillRef, version: number) {
	const number = checkedNumber(version, 'version', 1);
	const read = async (lookup: Lookup) =>
		// No database counts so far.
		number > MAX_VERSION ? null : await records.version(lookup, scope, number);
	return await seen(records, scope, ref, read, 'version of a skill');
}

function usageFor(records: Repository, scope: Scope) {
	return {
		recordUse: async (ids) => {
			const known = await Promise.all(
				[...new Set(ids)].map(async (id) => {
					const lookup = lookupOf({ id });
					return lookup && (await records.find(lookup, scope));
				}),
			);
			const seen = known.filter((skill) => skill !== null).map(({ id }) => id);
			if (seen.length > 0)
				await records.addUses(seen, scope.user, new Date(Date.now()).toISOString());
		},
		usage: async ({ ref, since, by }) => {
			const skill = ref && (await permitted(records, scope, ref, 'read'));
			return await records.usage(
				{ by, skillId: skill?.id, since: since && checkedTime(since).slice(0, 10) },
				scope,
			);
		},
	} satisfies Partial<Library>;
}
