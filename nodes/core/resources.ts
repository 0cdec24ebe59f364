import { SKILL_FILE } from './skill';
import { mapParallel } from './parallel';
import { baseName, parentOf } from './path';
import { count } from './text';
import type { BackendEntry, ResourceType, SkillBackend, SkillResource } from './types';

const TYPE_OF_FOLDER: Record<string, ResourceType> = {
	scripts: 'script',
	references: 'reference',
	assets: 'asset',
};
const TYPE_ORDER: ResourceType[] = ['script', 'reference', 'asset', 'other'];

/**
 * Gives back the files of a skill: the first level of scripts/, references/ and assets/, and what
 * lies beside SKILL.md. A folder that cannot be listed counts as empty.
 */
export async function discoverResources(
	backend: SkillBackend,
	skillPath: string,
): Promise<SkillResource[]> {
	const dir = parentOf(skillPath);
	const entries = await listOrEmpty(backend, dir);
	const folders = entries.filter((entry) => entry.isDirectory && typeOfFolder(entry) !== undefined);
	const inside = await mapParallel(folders, async (folder) => {
		const files = (await listOrEmpty(backend, folder.path)).filter(isVisibleFile);
		return files.map((file) => resource(typeOfFolder(folder) as ResourceType, dir, file));
	});
	const beside = entries
		.filter((entry) => isVisibleFile(entry) && baseName(entry.path) !== SKILL_FILE)
		.map((entry) => resource('other', dir, entry));
	return [...inside.flat(), ...beside].sort(byTypeAndPath);
}

/** Gives back "2 scripts, 1 reference". */
export function summarizeResources(resources: SkillResource[]): string {
	return TYPE_ORDER.map(
		(type) => [type, resources.filter((file) => file.type === type).length] as const,
	)
		.filter(([, amount]) => amount > 0)
		.map(([type, amount]) => count(amount, type === 'other' ? 'other file' : type))
		.join(', ');
}

async function listOrEmpty(backend: SkillBackend, dir: string): Promise<BackendEntry[]> {
	try {
		return (await backend.list(dir)) ?? [];
	} catch {
		return [];
	}
}

function typeOfFolder(entry: BackendEntry): ResourceType | undefined {
	const name = baseName(entry.path);
	return Object.hasOwn(TYPE_OF_FOLDER, name) ? TYPE_OF_FOLDER[name] : undefined;
}

function isVisibleFile(entry: BackendEntry): boolean {
	const { path, isDirectory, refused, problem } = entry;
	return !isDirectory && !refused && !problem && !baseName(path).startsWith('.');
}

function resource(type: ResourceType, dir: string, entry: BackendEntry): SkillResource {
	return { type, path: entry.path.slice(dir === '/' ? 1 : dir.length + 1) };
}

function byTypeAndPath(a: SkillResource, b: SkillResource): number {
	return (
		TYPE_ORDER.indexOf(a.type) - TYPE_ORDER.indexOf(b.type) ||
		(a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
	);
}
