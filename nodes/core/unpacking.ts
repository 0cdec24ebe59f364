import type { DataFile } from './backends/data';
import { SkillError } from './errors';
import {
	COMPRESSION_RATIO_FLOOR_BYTES,
	MAX_ARCHIVE_ENTRIES,
	MAX_COMPRESSION_RATIO,
	MAX_UNPACKED_BYTES,
} from './limits';
import { baseName, isSafePath, safeRelativePath } from './path';
import { count, echo } from './text';

/** What an archive says an entry is. */
export type EntryKind = 'file' | 'folder' | 'link' | 'device' | 'encrypted' | 'unsupported';

const REFUSED_KINDS: Partial<Record<EntryKind, string>> = {
	link: 'is a link, and links are not followed',
	device: 'is no file but a device or pipe',
	encrypted: 'is encrypted',
	unsupported: 'is stored in a way that is not supported',
};

// What macOS adds to every archive: resource forks and view settings.
const JUNK = /^(?:\.DS_Store|\._.*)$/;

/**
 * One archive while it is unpacked: decides on every entry, and counts what really comes out, since
 * the sizes that an archive declares may lie. It throws a `SkillError` that names the bad entry.
 */
export class Unpacking {
	private readonly contents = new Map<string, Uint8Array>();
	private readonly folders = new Set<string>();
	private entries = 0;
	private bytes = 0;

	constructor(
		private readonly archive: string,
		private readonly packedBytes: number,
	) {}

	/** Gives back the path to keep an entry's content at, or null when there is none to keep. */
	admit(name: string, kind: EntryKind): string | null {
		if (++this.entries > MAX_ARCHIVE_ENTRIES) {
			this.refuse(name, `is one too many: only ${MAX_ARCHIVE_ENTRIES} are allowed`);
		}
		const refusal = REFUSED_KINDS[kind];
		if (refusal) this.refuse(name, refusal);
		if (kind === 'folder' && /^[./]*$/.test(name) && !/^\/|\.\./.test(name)) return null;
		const relative = safeRelativePath(name);
		const path = `/${relative}`;
		if (relative === null || !isSafePath(path)) this.refuse(name, nameProblem(name));
		if (kind === 'folder' || isJunk(path)) return null;
		this.claim(path, name);
		return path;
	}

	/** Counts unpacked bytes; an archive that grows too much ends here. */
	grow(bytes: number, name: string): void {
		this.bytes += bytes;
		if (this.bytes > MAX_UNPACKED_BYTES) {
			this.refuse(name, `makes it unpack to more than ${count(MAX_UNPACKED_BYTES, 'byte')}`);
		}
		const isSmall = this.bytes <= COMPRESSION_RATIO_FLOOR_BYTES;
		if (!isSmall && this.bytes > this.packedBytes * MAX_COMPRESSION_RATIO) {
			this.refuse(name, `makes it unpack to more than ${MAX_COMPRESSION_RATIO} times its size`);
		}
	}

	/** Keeps the content of an admitted file. */
	keep(path: string, content: Uint8Array): void {
		this.contents.set(path, content);
	}

	/** Gives back all files that were kept. */
	files(): DataFile[] {
		return [...this.contents].map(([path, content]) => ({ path, content }));
	}

	/** Throws the refusal of an entry. */
	refuse(name: string, why: string): never {
		throw new SkillError(
			'archive-refused',
			`The archive "${echo(this.archive)}" was refused: its entry "${echo(name)}" ${why}.`,
		);
	}

	/** A path is one file, or one folder of files: which of two would win is anyone's guess. */
	private claim(path: string, name: string): void {
		if (this.contents.has(path)) this.refuse(name, 'is there twice');
		if (this.folders.has(path)) this.refuse(name, 'is both a file and a folder');
		this.contents.set(path, new Uint8Array());
		for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
			const folder = path.slice(0, end);
			if (this.contents.has(folder)) this.refuse(name, 'lies in a file');
			this.folders.add(folder);
		}
	}
}

function isJunk(path: string): boolean {
	return path.startsWith('/__MACOSX/') || JUNK.test(baseName(path));
}

function nameProblem(name: string): string {
	if (name.split(/[\\/]/).includes('..')) return 'has ".." in its name';
	if (/^[\\/]|^[a-z]:/i.test(name)) return 'has an absolute name';
	if (name.includes('\\')) return 'has a backslash in its name';
	return 'has a name that is not allowed';
}
