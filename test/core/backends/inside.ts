import type { SkillBackend } from '../../../nodes/core/types';

/** Gives back the backend as seen from one of its folders, so that one contract fits all. */
export function insideFolder(
	backend: SkillBackend,
	folder: string,
	hidden: string[] = [],
): SkillBackend {
	const isPath = (path: unknown): path is string =>
		typeof path === 'string' && path.startsWith('/');
	const whole = (path: string) => {
		if (!isPath(path)) return path;
		return path === '/' ? folder : folder + path;
	};
	const short = (path: string) => (isPath(path) ? path.slice(folder.length) || '/' : path);
	return {
		id: backend.id,
		location: backend.location,
		async list(dir) {
			const entries = await backend.list(whole(dir));
			const own = entries?.map((entry) => ({ ...entry, path: short(entry.path) }));
			return own?.filter(({ path }) => !hidden.includes(path)) ?? null;
		},
		async read(paths, maxBytes) {
			const results = await backend.read(paths.map(whole), maxBytes);
			return results.map((one, at) => ({ ...one, path: paths[at] }));
		},
	};
}
