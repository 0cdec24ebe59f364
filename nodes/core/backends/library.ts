import { messageOf, SkillError } from '../errors';
import { skillFileOf } from '../library/document';
import { LibraryError, type Library, type LibraryDatabase } from '../library/types';
import { folderEntries, viewOf, type View } from '../library/view';
import { MAX_LIBRARY_VIEWS } from '../limits';
import { LruMap } from '../lru';
import { mapParallel } from '../parallel';
import { isSafePath, safeAbsolutePath } from '../path';
import { SKILL_FILE } from '../skill';
import type { BackendEntry, ReadErrorCode, ReadResult, SkillBackend } from '../types';

/** A library, who looks at it, and which of its skills are offered. */
export interface LibraryOptions {
	database: LibraryDatabase;
	/** Null: nobody in particular. */
	user: string | null;
	/** Only skills with all of these; none: whatever their tags. */
	tags?: string[];
	/** Only these; none: whatever their names. */
	names?: string[];
}

/** Gives back a backend over the skills of a library that a user may see. */
export function createLibraryBackend(options: LibraryOptions): SkillBackend {
	const source = new LibrarySource(options);
	return {
		id: source.id,
		location: 'library:',
		list: async (dir) => await source.list(dir),
		read: async (paths, maxBytes) => await source.read(paths, maxBytes),
		stamp: async () => await source.stamp(),
		used: (skillPath) => source.used(skillPath),
	};
}

// n8n makes its sub-nodes anew for every call, so what is known of a library lives in the process.
const views = new LruMap<string, View>(MAX_LIBRARY_VIEWS);

class LibrarySource {
	readonly id: string;
	private readonly library: Library;

	constructor(private readonly options: LibraryOptions) {
		const { database, user, tags = [], names = [] } = options;
		this.id = `library:${JSON.stringify([database.id, user, tags, names])}`;
		this.library = database.as({ user, isAdministrator: false });
	}

	async stamp(): Promise<string> {
		return String(await explained(this.library.stamp()));
	}

	async list(dir: string): Promise<BackendEntry[] | null> {
		const safe = safeAbsolutePath(dir);
		if (safe === null) return null;
		if (safe === '/') return (await explained(this.look())).entries;
		const view = await explained(this.view());
		const { name, inside } = splitPath(safe);
		const skill = view.skills.get(name);
		if (!skill) return null;
		const files = await explained(this.library.files({ id: skill.id }).catch(absent));
		return files ? folderEntries(skill, files, inside) : null;
	}

	async read(paths: string[], maxBytes: number): Promise<ReadResult[]> {
		return await mapParallel(paths, async (path) => {
			if (!isSafePath(path)) return refusal(path, 'unsafe_path', 'the path is not allowed');
			if (path === '/') return refusal(path, 'not_a_file', 'it is not a file');
			try {
				const known = views.get(this.id);
				const result = known ? await this.readIn(known, path, maxBytes) : null;
				// Gone since it was last looked at, or there again as another one.
				return result ?? (await this.readIn(await this.view(), path, maxBytes)) ?? missing(path);
			} catch (error) {
				return refusal(path, 'unreadable', messageOf(error));
			}
		});
	}

	/** Notes a use after the answer was given: whoever loads a skill does not wait for it. */
	used(skillPath: string): void {
		const { name } = splitPath(skillPath);
		const known = views.get(this.id);
		const record = async () => {
			// With many users at once the view may have had to make room for another.
			const skill = (known ?? (await this.view())).skills.get(name);
			if (skill) await this.library.recordUse([skill.id]);
		};
		setImmediate(() => void record().catch(() => undefined));
	}

	/** Gives back the skills as they are now; while nothing changed this is one cheap question. */
	private async view(): Promise<View> {
		const known = views.get(this.id);
		if (known?.stamp === (await this.library.stamp())) return known;
		return (await this.look()).view;
	}

	private async look() {
		const { user, tags = [], names = [] } = this.options;
		const query = { ...(tags.length > 0 ? { tags } : {}), ...(names.length > 0 ? { names } : {}) };
		const seen = await viewOf(this.library, query, user);
		views.set(this.id, seen.view);
		return seen;
	}

	private async readIn(view: View, path: string, maxBytes: number): Promise<ReadResult | null> {
		const { name, inside } = splitPath(path);
		const skill = view.skills.get(name);
		if (!skill) return null;
		if (inside === '') return refusal(path, 'not_a_file', 'it is not a file');
		const found =
			inside === SKILL_FILE
				? await this.readText(skill.id).catch(absent)
				: await this.readFile(skill.id, inside).catch(absent);
		if (found === undefined) return await this.explainAbsence(skill.id, path, inside);
		const { byteLength } = found.content;
		if (byteLength <= maxBytes) return { path, ...found };
		const message = `the file has ${byteLength} bytes, more than ${maxBytes}`;
		return refusal(path, 'too_large', message);
	}

	private async readText(id: string): Promise<{ content: Uint8Array; version: string }> {
		const skill = await this.library.text({ id });
		return { content: Buffer.from(skillFileOf(skill)), version: skill.contentHash };
	}

	private async readFile(id: string, path: string): Promise<{ content: Uint8Array } | undefined> {
		const file = await this.library.file({ id }, path);
		// The library takes names for equal that a disk may tell apart; here they are as listed.
		return file.path === path ? { content: file.content } : undefined;
	}

	private async explainAbsence(id: string, path: string, inside: string) {
		const files = await this.library.files({ id }).catch(absent);
		const isFolder = files?.some((file) => file.path.startsWith(`${inside}/`));
		return isFolder ? refusal(path, 'not_a_file', 'it is not a file') : null;
	}
}

function splitPath(path: string): { name: string; inside: string } {
	const [, name, ...inside] = path.split('/');
	return { name, inside: inside.join('/') };
}

/** Gives back nothing for what is not there; any other error is thrown on. */
function absent(error: unknown): undefined {
	const code = error instanceof LibraryError ? error.code : '';
	if (code !== 'not-found' && code !== 'invalid') throw error;
}

async function explained<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		if (!(error instanceof LibraryError)) throw error;
		throw new SkillError('source-unreadable', error.message, error.hint);
	}
}

function missing(path: string): ReadResult {
	return refusal(path, 'not_found', 'file not found');
}

function refusal(path: string, error: ReadErrorCode, message: string): ReadResult {
	return { path, error, message };
}
