import { diagnostic, type Diagnostic } from '../errors';
import { MAX_REPORTED_DIAGNOSTICS } from '../limits';
import { KNOWN_FIELDS } from '../schema';
import { SKILL_FILE } from '../skill';
import { count, echo } from '../text';
import type { BackendEntry } from '../types';
import { chooseByName, listAll, type Chosen } from './choose';
import type { Library, LibraryFileInfo, LibrarySkill, SkillQuery } from './types';

/** Which skills of a library are offered, at one moment. It is kept, so it holds no more than that. */
export interface View {
	stamp: number;
	/** By the name of their folder. */
	skills: Map<string, Seen>;
}

/** What must be known of a skill to find it again. */
export type Seen = Pick<LibrarySkill, 'id' | 'name' | 'contentHash'>;

/**
 * Gives back the skills that fit, one of each name, also as one folder each with what is to be said
 * of those that are hidden; no text is read.
 */
export async function viewOf(
	library: Library,
	query: SkillQuery,
	user: string | null,
): Promise<{ view: View; entries: BackendEntry[] }> {
	const listing = await listAll(library, query);
	const { skills, hidden } = chooseByName(listing.skills, user);
	const seen = new Map<string, Seen>();
	for (const { id, name, contentHash } of skills) seen.set(name, { id, name, contentHash });
	const entries = skills.map(toEntry);
	return {
		view: { stamp: listing.stamp, skills: seen },
		entries: hidden.length === 0 ? entries : [...hiddenEntries(hidden), ...entries],
	};
}

function toEntry({ name, description, extras, contentHash }: LibrarySkill): BackendEntry {
	const frontmatter: Record<string, unknown> = { name, description };
	for (const key in extras) {
		if (KNOWN_FIELDS.has(key) && !(key in frontmatter)) frontmatter[key] = asParsed(extras[key]);
	}
	return { path: `/${name}`, isDirectory: true, version: contentHash, frontmatter };
}

/** Gives back a value as the parser of a SKILL.md would give it. */
function asParsed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(asParsed);
	if (typeof value !== 'object' || value === null) return value;
	return new Map(Object.entries(value).map(([key, part]) => [key, asParsed(part)]));
}

function hiddenEntries(hidden: Chosen['hidden']): BackendEntry[] {
	const told = hidden.slice(0, MAX_REPORTED_DIAGNOSTICS).map(({ skill, by }): Diagnostic => {
		const message = `The skill "${skill.name}" of ${ownerOf(by)} is used; the one of ${ownerOf(skill)} is hidden by it.`;
		return diagnostic('skill-shadowed', message, { path: `/${skill.name}/${SKILL_FILE}` });
	});
	const rest = hidden.length - told.length;
	if (rest > 0) {
		const message = `${count(rest, 'other skill')} of the library are hidden by others of the same name.`;
		told.push(diagnostic('skill-shadowed', message));
	}
	return told.map((problem) => ({ path: '/', isDirectory: true, problem }));
}

function ownerOf({ ownerId }: LibrarySkill): string {
	return ownerId === null ? 'the system' : `"${echo(ownerId)}"`;
}

/** Gives back one level of a skill's folder, null where there is none. */
export function folderEntries(
	{ name, contentHash }: Seen,
	files: LibraryFileInfo[],
	inside: string,
): BackendEntry[] | null {
	const prefix = inside === '' ? '' : `${inside}/`;
	const folder = `/${name}/${prefix}`;
	const entries = new Map<string, BackendEntry>();
	if (inside === '') {
		const path = folder + SKILL_FILE;
		entries.set(path, { path, isDirectory: false, version: contentHash });
	}
	for (const { path: file, size, hash } of files) {
		if (!file.startsWith(prefix)) continue;
		const [child, ...deeper] = file.slice(prefix.length).split('/');
		const path = folder + child;
		const isDirectory = deeper.length > 0;
		entries.set(path, { path, isDirectory, ...(isDirectory ? {} : { size, version: hash }) });
	}
	if (entries.size === 0) return null;
	return [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
