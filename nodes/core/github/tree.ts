import { isSafePath, joinPath, parentOf } from '../path';
import type { BackendEntry } from '../types';

/** One entry of a tree, as the API gives it; the path is relative to the tree. */
export interface TreeItem {
	path: string;
	mode: string;
	type: string;
	sha: string;
	size?: number;
}

/** A file, folder or link of a repository. */
export interface GitEntry extends BackendEntry {
	sha: string;
}

const SYMLINK = '120000';

/** All files and folders of a commit, or of one folder of it, in memory. */
export class GitTree {
	private readonly entries = new Map<string, GitEntry>();
	private readonly folders = new Map<string, GitEntry[]>();

	/** `root` is where the tree hangs in the repository; null: there is no such folder. */
	constructor(root: string | null, items: TreeItem[]) {
		if (root === null) return;
		this.folders.set(root, []);
		// By path: so a folder comes before what is in it, and each level is in order.
		const sorted = [...items].sort((a, b) => (a.path < b.path ? -1 : 1));
		for (const item of sorted) this.add(joinPath(root, item.path), item);
	}

	/** Gives back one level of a folder, null when it is absent. */
	list(dir: string): GitEntry[] | null {
		return this.folders.get(dir) ?? null;
	}

	/** Gives back a file or a link. */
	find(path: string): GitEntry | undefined {
		return this.entries.get(path);
	}

	private add(path: string, { mode, type, sha, size }: TreeItem): void {
		if (!isSafePath(path)) return;
		const entry = toEntry(path, mode, type, sha, size);
		if (entry === null) return;
		this.folders.get(parentOf(path))?.push(entry);
		if (entry.isDirectory) this.folders.set(path, []);
		else this.entries.set(path, entry);
	}
}

function toEntry(
	path: string,
	mode: string,
	type: string,
	sha: string,
	size?: number,
): GitEntry | null {
	if (type === 'tree') return { path, isDirectory: true, sha };
	// A link's target and a submodule's files are not in this tree.
	if (type === 'commit' || mode === SYMLINK) {
		return { path, isDirectory: false, refused: 'link-outside', sha };
	}
	return type === 'blob' ? { path, isDirectory: false, size, version: sha, sha } : null;
}
