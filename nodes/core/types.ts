import type { Diagnostic } from './errors';

/** One entry of a folder, as a backend lists it. Paths are POSIX and absolute in the backend. */
export interface BackendEntry {
	path: string;
	isDirectory: boolean;
	size?: number;
	/** Changes whenever the content may have changed (mtime, ETag, sha); absent: unknown. */
	version?: string;
	/**
	 * Of a SKILL.md, or of a folder that is a skill: what its frontmatter says, where an index tells
	 * it. Then discovery neither lists the folder nor reads the file: that waits until the skill is
	 * loaded, and `version` stands for the content until then.
	 */
	frontmatter?: Record<string, unknown>;
	/** The folder is a link that stays in the source. */
	isLink?: true;
	/** The entry is there but must not be followed: a link that leaves the source. */
	refused?: 'link-outside';
	/**
	 * What is wrong with this entry, or (on an entry for the listed folder itself) with a whole index.
	 * Discovery reports it and takes the entry neither for a skill nor for a folder; resources leave
	 * it out. With a problem and no skill the source is not called empty a second time.
	 */
	problem?: Diagnostic;
}

/** Why a file was not read. */
export type ReadErrorCode =
	| 'not_found'
	| 'not_a_file'
	| 'too_large'
	| 'access_denied'
	| 'unreadable'
	| 'unsafe_path';

/** A file that was not read, and why. */
export interface ReadFailure {
	path: string;
	error: ReadErrorCode;
	message: string;
}

/** The bytes of a file, or why there are none. */
export type ReadResult =
	| {
			path: string;
			content: Uint8Array;
			/** Of a SKILL.md that an index told of: its version in that index, as it is now. */
			version?: string;
	  }
	| ReadFailure;

/** Gets the first bytes of a file, which are there only until it returns. */
export type TakeHead = (entry: BackendEntry, head: Uint8Array) => void;

/**
 * A place that holds skills. `list` gives one level, null when the folder is absent, and throws a
 * `SkillError` when the place cannot be used. `read` answers for each path; it never throws.
 */
export interface SkillBackend {
	/** Equal for two backends that show the same files; parsed skills are cached under it. */
	readonly id: string;
	/** Stands before a path when it is shown to people and models; empty: the path says it all. */
	readonly location: string;
	/** What the place is at (a commit), as far as it is known. */
	revision?(): string | undefined;
	list(dir: string): Promise<BackendEntry[] | null>;
	read(paths: string[], maxBytes: number): Promise<ReadResult[]>;
	/**
	 * May be left out. Gives back the entries of files that can be had cheaper than by listing their
	 * folders; null: list the folder to know. `take` gets the heads of files that are new or changed,
	 * as far as they were opened anyway; what it does not get has to be read.
	 */
	peek?(paths: string[], take: TakeHead): Promise<Array<BackendEntry | null>>;
	/**
	 * May be left out. Gives back what changes whenever anything in the place may have changed; as
	 * long as it is the same, nothing else is asked.
	 */
	stamp?(): Promise<string>;
	/** May be left out. Notes that a skill was given to a model; it returns at once, never throws. */
	used?(skillPath: string): void;
}

/** A folder of a backend to look for skills in. */
export interface SourceSpec {
	path: string;
	label: string;
}

/** What the frontmatter says of a skill, plus where it is from. */
export interface SkillMetadata {
	name: string;
	description: string;
	/** Path of the SKILL.md in its backend. */
	path: string;
	/** The skill's folder as people and models see it. */
	directory: string;
	license?: string;
	compatibility?: string;
	metadata: Record<string, string>;
	allowedTools: string[];
	/** Fields that the specification does not know (version, author, tags …), as text. */
	others?: Record<string, string>;
	/** False: a person or a pin may load it, the model is not offered it. */
	modelInvocable: boolean;
	/** Label of the source it came from. */
	source: string;
	/**
	 * Hash of the SKILL.md, where all of it was read; of one that only an index told of, the version
	 * in that index.
	 */
	contentHash?: string;
	isIndexed?: boolean;
	diagnostics: Diagnostic[];
}

/** The kinds of files beside a SKILL.md. */
export type ResourceType = 'script' | 'reference' | 'asset' | 'other';

/** A file of a skill; `path` is relative to the skill's folder. */
export interface SkillResource {
	type: ResourceType;
	path: string;
}

/** All files of a skill but its SKILL.md; `path` is relative to the skill's folder. */
export interface SkillFiles {
	files: Array<{ path: string; size?: number }>;
	/** What was not looked into: hidden folders, node_modules, links that leave the source. */
	leftOut: string[];
}

/** What became of one source in a refresh. */
export interface SourceReport {
	label: string;
	location: string;
	status: 'ok' | 'empty' | 'missing' | 'failed' | 'stale';
	/** How many of its skills are offered after shadowing and filtering. */
	skills: number;
	/** How many skills it holds. */
	found: number;
	/** What the place was at, where it has such a thing: a commit. */
	revision?: string;
}

/** The skills of all sources at one moment, in catalog order. */
export interface SkillSnapshot {
	skills: SkillMetadata[];
	diagnostics: Diagnostic[];
	sources: SourceReport[];
}

/** The full text of a SKILL.md, split. */
export interface SkillDocument {
	body: string;
	contentHash: string;
}

/** What Skills Source hands to the nodes above it. */
export interface SkillSet {
	/** Equal for two sets over the same places with the same settings; absent: unknown. */
	readonly key?: string;
	/** Names the node that this is of; records of skills say where they were loaded from. */
	readonly origin?: string;
	/**
	 * Gives back what changes whenever a place may have changed that can tell so cheaply; undefined:
	 * none of them can. Like `origin` it is not there in sets of an older version of the package.
	 */
	stamp?(): Promise<string | undefined>;
	/** Gives back the skills as they are now; a remembered answer of this moment will do unless told. */
	refresh(anew?: boolean): Promise<SkillSnapshot>;
	/** Gives back the SKILL.md or why it cannot be had; the text is an answer for the model. */
	load(skill: SkillMetadata): Promise<SkillDocument | { problem: string }>;
	resources(skill: SkillMetadata): Promise<SkillResource[]>;
	/**
	 * Gives back all files of a skill, to copy it; throws a `SkillError` when they cannot be had. Like
	 * `used` it is not there when the set comes from an older version of the package.
	 */
	files?(skill: SkillMetadata): Promise<SkillFiles>;
	/** Reads files of a skill; paths are relative to its folder and already guarded. */
	readFiles(skill: SkillMetadata, paths: string[], maxBytes: number): Promise<ReadResult[]>;
	/** Notes that a skill was newly given to a model; it returns at once and never throws. */
	used?(skill: SkillMetadata): void;
}
