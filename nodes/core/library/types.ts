/** Who asks: a user of the library, or nobody in particular (null). */
export interface Actor {
	user: string | null;
	/** May write system skills, and see and write everybody's. */
	isAdministrator: boolean;
}

/** What a listing tells of a skill: all but its text and its files. */
export interface LibrarySkill {
	id: string;
	/** Unique among the skills of one owner, whatever the case or Unicode form of its letters. */
	name: string;
	description: string;
	tags: string[];
	/** Everybody may read it; always so for a system skill. */
	isPublic: boolean;
	/** Null: a system skill. */
	ownerId: string | null;
	/** The other fields of the frontmatter: license, compatibility, allowed-tools, metadata, … */
	extras: Record<string, unknown>;
	/** Counts the changes of the skill and its files, from 1; a change to the same is none. */
	version: number;
	/** Hash of name, description, tags, extras, text and files: not of owner and visibility. */
	contentHash: string;
	/** ISO 8601, UTC. */
	createdAt: string;
	updatedAt: string;
}

/** A file beside a SKILL.md, without its content. */
export interface LibraryFileInfo {
	id: string;
	/** Relative to the skill's folder. */
	path: string;
	size: number;
	hash: string;
	isBinary: boolean;
}

/** A file beside a SKILL.md. */
export interface LibraryFile extends LibraryFileInfo {
	content: Uint8Array;
}

/** A skill without its files; `content` is the text below the frontmatter. */
export interface SkillWithText extends LibrarySkill {
	content: string;
}

/** A whole skill. */
export interface WholeSkill extends SkillWithText {
	files: LibraryFile[];
}

/** What is needed to make a skill. */
export interface NewSkill {
	name: string;
	description: string;
	content: string;
	tags?: string[];
	isPublic?: boolean;
	/** Absent: the actor. Null: a system skill, for administrators. */
	ownerId?: string | null;
	extras?: Record<string, unknown>;
	files?: Array<{ path: string; content: Uint8Array }>;
}

/** What is to be changed of a skill; what is absent stays. `files` replaces all files. */
export type SkillChanges = Partial<NewSkill>;

/**
 * Which skill is meant. By name it is the actor's own one, else the system's, else the public one
 * of another owner (the first by owner); names are compared without case and Unicode form.
 */
export type SkillRef = { id: string } | { name: string; ownerId?: string | null };

/** Which skills are wanted; absent: all that the actor may see. */
export interface SkillQuery {
	/** Words to find in name, description, tags and text; the best comes first. */
	text?: string;
	/** Only skills with all of these tags. */
	tags?: string[];
	/** Null: system skills only. */
	ownerId?: string | null;
	visibility?: 'private' | 'public' | 'system';
	/** Leaves out public skills of other owners. */
	ownOnly?: boolean;
	names?: string[];
	/** ISO 8601: changed at or after. */
	changedSince?: string;
	/** Absent: all. */
	limit?: number;
	/** Where the last page ended. */
	cursor?: string;
}

/** One page of skills. */
export interface SkillPage {
	skills: LibrarySkill[];
	/** Absent: this was the last page. */
	cursor?: string;
}

/** An earlier state of a skill. */
export interface SkillVersion {
	version: number;
	/** When it came to be, and who made it. */
	at: string;
	by: string | null;
	name: string;
	description: string;
	contentHash: string;
}

/** One change of the library, in the order of `sequence`. */
export interface LibraryChange {
	sequence: number;
	event: 'created' | 'updated' | 'deleted';
	at: string;
	/** The skill as it is, of a deleted one as it was. */
	skill: LibrarySkill;
}

/** Some changes, oldest first. */
export interface ChangePage {
	changes: LibraryChange[];
	/** Where to read on: pass it as `after` next time, also when no change was for the actor. */
	last: number;
	/** Of changes after the asked one the log is lost: of deleted skills nobody knows. */
	isIncomplete: boolean;
}

/** How often a skill was loaded. */
export interface SkillUsage {
	skillId: string;
	name: string;
	/** Absent in totals; null: nobody in particular. */
	user?: string | null;
	/** ISO 8601 day, UTC; absent unless asked by day. */
	day?: string;
	loads: number;
	lastUsedAt: string;
}

/** Which loads are wanted, and how they are added up. */
export interface UsageQuery {
	ref?: SkillRef;
	/** ISO 8601: on this day or later. */
	since?: string;
	by: 'total' | 'user' | 'day';
}

/** Why the library does not do what it was asked; docs/library.md explains each. */
export type LibraryErrorCode =
	/** There is none, or the actor may not see or change it: nobody learns which. */
	| 'not-found'
	| 'name-taken'
	| 'version-conflict'
	| 'invalid'
	| 'too-large'
	| 'database-newer'
	| 'database-unavailable';

/** An error of the library, with what a person can do. */
export class LibraryError extends Error {
	constructor(
		readonly code: LibraryErrorCode,
		message: string,
		readonly hint?: string,
	) {
		super(message);
		this.name = 'LibraryError';
	}
}

/**
 * A library as one actor sees it. Every operation goes through the one check of permissions:
 * private skills are the owner's; public ones everybody reads and the owner writes; system ones
 * everybody reads and an administrator writes. All methods reject with a `LibraryError`.
 */
export interface Library {
	create(skill: NewSkill): Promise<LibrarySkill>;
	/** Without text and files. */
	find(ref: SkillRef): Promise<LibrarySkill>;
	/** With its text, without files: what a SKILL.md is made of. */
	text(ref: SkillRef): Promise<SkillWithText>;
	/** With text and files, in one round trip. */
	get(ref: SkillRef): Promise<WholeSkill>;
	list(query?: SkillQuery): Promise<SkillPage>;
	/** Refuses with `version-conflict` when `ifVersion` is not the version in the database. */
	update(ref: SkillRef, changes: SkillChanges, ifVersion?: number): Promise<LibrarySkill>;
	remove(ref: SkillRef, ifVersion?: number): Promise<LibrarySkill>;

	files(ref: SkillRef): Promise<LibraryFileInfo[]>;
	file(ref: SkillRef, path: string): Promise<LibraryFile>;
	putFile(ref: SkillRef, path: string, content: Uint8Array): Promise<LibraryFileInfo>;
	/** By path in a skill, or by the id of a file alone. */
	removeFile(file: { skill: SkillRef; path: string } | { id: string }): Promise<LibraryFileInfo>;

	versions(ref: SkillRef): Promise<SkillVersion[]>;
	version(ref: SkillRef, version: number): Promise<WholeSkill>;
	/** Makes the content of an earlier version the newest one; owner and visibility stay. */
	restore(ref: SkillRef, version: number): Promise<LibrarySkill>;

	/** Notes that skills were loaded by the actor. */
	recordUse(ids: string[]): Promise<void>;
	/**
	 * Loads per skill (`total`), per skill and user, or per skill, user and day, most used first. Who
	 * may not write a skill sees only the own loads of it.
	 */
	usage(query: UsageQuery): Promise<SkillUsage[]>;

	/**
	 * Changes after a sequence number, of skills that the actor may see and the query means. A skill
	 * that is no longer among them was "deleted" for that actor, one that came among them "created".
	 */
	changes(after: number, query?: SkillQuery, limit?: number): Promise<ChangePage>;
	/** The sequence number of the last change; it costs the same however large the library is. */
	stamp(): Promise<number>;
}

/** Up to which change each reader has got, kept with the library itself. */
export interface Positions {
	/** Null: nobody knows this reader. */
	of(reader: string): Promise<{ sequence: number; polledAt: string } | null>;
	/** Moves a reader on; false: meanwhile somebody else has moved it, or made it known. */
	move(reader: string, from: number | null, to: number): Promise<boolean>;
}

/** An open database; one for each place in the process. */
export interface LibraryDatabase {
	/** Equal for two that are the same place; without secrets. */
	readonly id: string;
	/** Random, made with the library: equal whichever way leads to it. */
	libraryId(): Promise<string>;
	readonly positions: Positions;
	as(actor: Actor): Library;
	close(): Promise<void>;
}
