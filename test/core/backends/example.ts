import { isSafePath, safeAbsolutePath } from '../../../nodes/core/path';
import type { BackendEntry, ReadErrorCode, SkillBackend } from '../../../nodes/core/types';

/** An object store such as S3: keys with "/" in them, no folders. */
export interface ObjectStore {
	bucket: string;
	objects(prefix: string): Promise<Array<{ key: string; size: number; etag: string }>>;
	get(key: string): Promise<Uint8Array>;
}

/** Gives back a backend over the objects of a bucket. */
export function createBucketBackend(store: ObjectStore): SkillBackend {
	const list = async (dir: string): Promise<BackendEntry[] | null> => {
		const safe = safeAbsolutePath(dir);
		if (safe === null) return null;
		const prefix = safe === '/' ? '' : `${safe.slice(1)}/`;
		const entries = new Map<string, BackendEntry>();
		for (const { key, size, etag } of await store.objects(prefix)) {
			const [name, ...below] = key.slice(prefix.length).split('/');
			const path = `/${prefix}${name}`;
			const isDirectory = below.length > 0;
			const file = { size, version: etag };
			entries.set(path, { path, isDirectory, ...(isDirectory ? {} : file) });
		}
		if (entries.size === 0 && safe !== '/') return null;
		return [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
	};

	const readOne = async (path: string, maxBytes: number) => {
		const failed = (error: ReadErrorCode, message: string) => ({ path, error, message });
		if (!isSafePath(path)) return failed('unsafe_path', 'the path is not allowed');
		const key = path.slice(1);
		const object = (await store.objects(key)).find((one) => one.key === key);
		if (!object && (await list(path)) !== null) return failed('not_a_file', 'it is not a file');
		if (!object) return failed('not_found', 'file not found');
		if (object.size > maxBytes) return failed('too_large', `the file has ${object.size} bytes`);
		return { path, content: await store.get(key) };
	};

	return {
		id: `bucket:${store.bucket}`,
		location: `s3://${store.bucket}`,
		list,
		read: (paths, maxBytes) => Promise.all(paths.map((path) => readOne(path, maxBytes))),
	};
}
