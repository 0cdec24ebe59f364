import { joinPath } from '../path';
import type { BackendEntry } from '../types';
import type { KnownIndex } from './ask';
import type { SiteFile } from './parse';

/** Gives back the skills of an index as folders, and what is wrong with it. */
export function rootEntries({ skills, problems, refused }: KnownIndex): BackendEntry[] {
	const found = [...problems, ...refused.values()];
	const known = [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
	return [
		...found.map((problem) => ({ path: '/', isDirectory: true, problem })),
		...known.map(({ name, description, version }) => ({
			path: `/${name}`,
			isDirectory: true,
			version,
			frontmatter: { name, description },
		})),
	];
}

/** Gives back one level of single files, null where no file lies below. */
export function listFiles(
	files: Map<string, SiteFile>,
	name: string,
	inside: string,
): BackendEntry[] | null {
	const above = inside === '/' ? '/' : `${inside}/`;
	const entries = new Map<string, BackendEntry>();
	for (const [file, { digest }] of files) {
		if (!`/${file}`.startsWith(above)) continue;
		const [child, ...deeper] = `/${file}`.slice(above.length).split('/');
		const path = `/${name}${joinPath(inside, child)}`;
		const isDirectory = deeper.length > 0;
		entries.set(path, { path, isDirectory, ...(isDirectory ? {} : { version: digest }) });
	}
	if (entries.size === 0) return null;
	return [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Gives back the skill's name, and the path inside of the skill. */
export function splitPath(path: string): { name: string; inside: string } {
	const [, name, ...inside] = path.split('/');
	return { name, inside: `/${inside.join('/')}` };
}
