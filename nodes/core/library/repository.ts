import type { Scope } from './access';
import type {
	LibraryChange,
	LibraryFile,
	LibraryFileInfo,
	LibrarySkill,
	Positions,
	SkillUsage,
	SkillVersion,
	SkillWithText,
	WholeSkill,
} from './types';

/** Which skill: by id, or by the normalised name (of one owner, or the nearest one in scope). */
export type Lookup = { id: string } | { nameKey: string; ownerId?: string | null };

/** Which skills to list, in the form that they are compared in. */
export interface Filter {
	words?: string[];
	tagKeys?: string[];
	ownerId?: string | null;
	visibility?: 'private' | 'public' | 'system';
	ownOnly?: boolean;
	nameKeys?: string[];
	changedSince?: string;
	limit?: number;
	/** The name and id after which the page starts; not with `words`. */
	after?: { nameKey: string; id: string };
	/** With `words`: how many come before the page, and the last of them as far as they are still there. */
	offset?: number;
	behind?: string[];
}

/** Which loads to add up, and how far. */
export interface UsageFilter {
	skillId?: string;
	/** ISO 8601 day. */
	since?: string;
	by: 'total' | 'user' | 'day';
}

/** A change as it was logged; the skill as it was `before` is known of an update. */
export interface LoggedChange extends LibraryChange {
	before?: LibrarySkill;
}

/** A file to be stored; the text of the SKILL.md has the empty path. */
export interface Entry extends LibraryFileInfo {
	pathKey: string;
}

/** All that one change of a skill writes. */
export interface Save {
	event: 'created' | 'updated';
	skill: LibrarySkill;
	nameKey: string;
	tagKeys: string[];
	/** Who did it. */
	by: string | null;
	/** The skill as it was, unless it is new. */
	before?: LibrarySkill;
	put: Array<Entry & { content: Uint8Array }>;
	/** Path keys of files that are gone. */
	dropped: string[];
	/** The text to find words in; absent: the words stay. */
	searched?: string;
}

/**
 * What can be asked of the records. It knows nothing of permissions but the scope it is given, and
 * each question is one statement: between two, the owner may have made the skill private.
 */
export interface Reader {
	find(lookup: Lookup, scope: Scope): Promise<LibrarySkill | null>;
	/** With its text, without files. */
	text(lookup: Lookup, scope: Scope): Promise<SkillWithText | null>;
	/** With text and files, as it is. */
	get(lookup: Lookup, scope: Scope): Promise<WholeSkill | null>;
	/** With text and files, as it was; for those who may write it. */
	version(lookup: Lookup, scope: Scope, version: number): Promise<WholeSkill | null>;
	list(filter: Filter, scope: Scope): Promise<LibrarySkill[]>;
	/** All files of a skill, its text (with the empty path) among them. */
	entries(lookup: Lookup, scope: Scope): Promise<Entry[] | null>;
	/** Null: there is no such skill; undefined: it has no such file. */
	file(lookup: Lookup, scope: Scope, pathKey: string): Promise<LibraryFile | null | undefined>;
	/** Where the file with an id is. */
	locate(fileId: string): Promise<{ skillId: string; path: string } | null>;
	/** For those who may write the skill; it has at least one. */
	versions(lookup: Lookup, scope: Scope): Promise<SkillVersion[]>;
	usage(filter: UsageFilter, scope: Scope): Promise<SkillUsage[]>;
	changes(after: number, limit: number): Promise<LoggedChange[]>;
	/** What the skills themselves tell of the changes between two numbers, which the log lost. */
	missed(after: number, before: number): Promise<LoggedChange[]>;
	/** The last sequence number alone. */
	stamp(): Promise<number>;
}

/** What can be written while nobody else writes. */
export interface Writer extends Reader {
	save(save: Save): Promise<void>;
	remove(skill: LibrarySkill, at: string): Promise<void>;
}

/** The records of a library: data access, and nothing else. */
export interface Repository extends Reader {
	/** All or nothing, and no other writer meanwhile. */
	write<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
	addUses(skillIds: string[], user: string | null, at: string): Promise<void>;
	readonly id: string;
	libraryId(): Promise<string>;
	readonly positions: Positions;
	close(): Promise<void>;
}
