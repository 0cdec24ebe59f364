import { createHash } from 'node:crypto';

import { isSafePath, parentOf, safeAbsolutePath } from '../path';
import type { BackendEntry, ReadResult, SkillBackend } from '../types';

/** A file that came with the workflow's data; `path` is absolute in the backend. */
export interface DataFile {
	path: string;
	content: Uint8Array;
}

interface Stored {
	content: Uint8Array;
	version: string;
}

/** Gives back a backend over files in memory: the skills that a workflow's data holds. */
export function createDataBackend(files: DataFile[]): SkillBackend {
	const byPath = new Map<string, Stored>();
	for (const { path, content } of files) {
		if (path === '/' || !isSafePath(path)) continue;
		byPath.set(path, { content, version: digest(content) });
	}
	const folders = foldersOf(byPath);
	const everything = [...byPath].map(([path, { version }]) => `${path}\0${version}`).sort();

	return {
		id: `data:${digest(everything.join('\n'))}`,
		location: '',

		async list(dir) {
			const safe = safeAbsolutePath(dir);
			const children = safe === null ? undefined : folders.get(safe);
			if (safe === null || children === undefined) return null;
			return [...children].sort().map((path) => toEntry(path, byPath.get(path)));
		},

		async read(paths, maxBytes) {
			return paths.map((path) => readOne(path, byPath, folders, maxBytes));
		},
	};
}

function readOne(
	path: string,
	byPath: Map<string, Stored>,
	folders: Map<string, Set<string>>,
	maxBytes: number,
): ReadResult {
	if (!isSafePath(path)) {
		return { path, error: 'unsafe_path', message: 'the path is not allowed' };
	}
	const stored = byPath.get(path);
	if (stored === undefined) {
		return folders.has(path)
			? { path, error: 'not_a_file', message: 'it is not a file' }
			: { path, error: 'not_found', message: 'file not found' };
	}
	const { content } = stored;
	if (content.byteLength > maxBytes) {
		const message = `the file has ${content.byteLength} bytes, more than ${maxBytes}`;
		return { path, error: 'too_large', message };
	}
	return { path, content };
}

function foldersOf(byPath: Map<string, Stored>): Map<string, Set<string>> {
	const folders = new Map<string, Set<string>>([['/', new Set()]]);
	for (const path of byPath.keys()) {
		let child = path;
		while (child !== '/') {
			const parent = parentOf(child);
			const children = folders.get(parent) ?? new Set<string>();
			folders.set(parent, children.add(child));
			child = parent;
		}
	}
	return folders;
}

function toEntry(path: string, file: Stored | undefined): BackendEntry {
	if (file === undefined) return { path, isDirectory: true };
	return { path, isDirectory: false, size: file.content.byteLength, version: file.version };
}

function digest(content: Uint8Array | string): string {
	return createHash('sha256').update(content).digest('hex');
}
