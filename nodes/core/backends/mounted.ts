import { messageOf } from '../errors';
import { mapParallel } from '../parallel';
import { isInside, isSafePath, safeAbsolutePath } from '../path';
import type { ReadResult, SkillBackend } from '../types';
import { createDataBackend, type DataFile } from './data';

/** Some files of the backend; an empty folder is the whole of it. */
export interface Mount {
	folder: string;
	open(): Promise<DataFile[]>;
	/** The same, where an older state is better than none. */
	reopen(): Promise<DataFile[]>;
}

/** Gives back a backend whose files come whole, each set in its folder. */
export function createMountedBackend(id: string, location: string, mounts: Mount[]): SkillBackend {
	const mountOf = (path: string) =>
		mounts.find(({ folder }) => folder === '' || isInside(path, folder));

	return {
		id,
		location,

		async list(dir) {
			const safe = safeAbsolutePath(dir);
			if (safe === null) return null;
			const mount = mountOf(safe);
			if (mount) {
				const files = backendOf(await mount.open());
				const entries = await files.list(safe.slice(mount.folder.length) || '/');
				return entries?.map((entry) => ({ ...entry, path: mount.folder + entry.path })) ?? null;
			}
			if (safe !== '/') return null;
			return mounts.map(({ folder }) => ({ path: folder, isDirectory: true }));
		},

		async read(paths, maxBytes) {
			return await mapParallel(paths, async (path): Promise<ReadResult> => {
				if (!isSafePath(path)) {
					return { path, error: 'unsafe_path', message: 'the path is not allowed' };
				}
				const mount = mountOf(path);
				if (!mount) {
					const isRoot = path === '/';
					const message = isRoot ? 'it is not a file' : 'file not found';
					return { path, error: isRoot ? 'not_a_file' : 'not_found', message };
				}
				try {
					const files = backendOf(await mount.reopen());
					const [result] = await files.read([path.slice(mount.folder.length) || '/'], maxBytes);
					return { ...result, path };
				} catch (error) {
					return { path, error: 'unreadable', message: messageOf(error) };
				}
			});
		},
	};
}

// To make one hashes every file, so it is made once for the same files.
const backends = new WeakMap<DataFile[], SkillBackend>();

function backendOf(files: DataFile[]): SkillBackend {
	const backend = backends.get(files) ?? createDataBackend(files);
	backends.set(files, backend);
	return backend;
}
