import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import {
	createDataBackend,
	createFilesystemBackend,
	type FileAccess,
} from '../../nodes/core/backends';
import { RACY_MS } from '../../nodes/core/limits';
import {
	createLoadedStore,
	type LoadedStore,
	type Scope,
	type Sessions,
} from '../../nodes/core/loaded';
import { createSkillSet, type SkillSetOptions } from '../../nodes/core/skillset';
import { runTool, type ToolContext } from '../../nodes/core/tools';
import type { ToolName } from '../../nodes/core/schema';
import type { SkillBackend, SkillMetadata, SkillSet } from '../../nodes/core/types';

/** Files by path; a text that starts with "-> " is a link to what follows. */
export type Tree = Record<string, string | Uint8Array>;

const LINK = '-> ';
const folders: string[] = [];

/** Gives back a new folder below the system's temporary one, with these files in it. */
export async function tempTree(tree: Tree = {}): Promise<string> {
	const root = await mkdtemp(join(tmpdir(), 'skills-core-'));
	folders.push(root);
	await writeTree(root, tree);
	return root;
}

/** Writes files and links below a folder. */
export async function writeTree(root: string, tree: Tree): Promise<void> {
	for (const [path, content] of Object.entries(tree)) {
		const file = join(root, path);
		await mkdir(dirname(file), { recursive: true });
		if (typeof content === 'string' && content.startsWith(LINK)) {
			await symlink(content.slice(LINK.length).replace('{root}', root), file);
		} else await writeFile(file, content);
	}
}

/** Removes all folders of `tempTree`; for `afterAll`. */
export async function removeTempTrees(): Promise<void> {
	await Promise.all(folders.splice(0).map((root) => rm(root, { recursive: true, force: true })));
}

/** File access without any restriction. */
export const openAccess: FileAccess = { isBlocked: () => false, explain: () => '' };

/** Gives back a filesystem backend over a real folder. */
export function diskBackend(
	root: string,
	sources: string[] = ['/'],
	access: FileAccess = openAccess,
): SkillBackend {
	return createFilesystemBackend({ root, sources, access });
}

/** Gives back a data backend over a tree. */
export function memoryBackend(tree: Tree): SkillBackend {
	return createDataBackend(
		Object.entries(tree).map(([path, content]) => ({
			path: `/${path}`,
			content: Buffer.from(content as string),
		})),
	);
}

/** Gives back the text of a SKILL.md. */
export function skillText(
	name: string,
	description = `About ${name}`,
	body = `# ${name}\n`,
): string {
	return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}`;
}

/** Gives back a tree of skills by name; the values are their descriptions. */
export function skillTree(skills: Record<string, string>, below = ''): Tree {
	return Object.fromEntries(
		Object.entries(skills).map(([name, text]) => [
			`${below}${name}/SKILL.md`,
			skillText(name, text),
		]),
	);
}

/** Gives back a skill set over one source, "/" of the backend. */
export function setOf(backend: SkillBackend, more: Partial<SkillSetOptions> = {}): SkillSet {
	return createSkillSet({ backend, sources: [{ path: '/', label: 'Test' }], ...more });
}

/** Gives back the backend with its calls and read paths counted. */
export function counting(backend: SkillBackend) {
	const calls = { lists: 0, reads: 0, paths: [] as string[] };
	const counted: SkillBackend = {
		...backend,
		async list(dir) {
			calls.lists++;
			return await backend.list(dir);
		},
		async read(paths, maxBytes) {
			calls.reads++;
			calls.paths.push(...paths);
			return await backend.read(paths, maxBytes);
		},
		...(backend.peek && {
			async peek(paths, take) {
				const opened: string[] = [];
				const found = await backend.peek?.(paths, (entry, head) => {
					opened.push(entry.path);
					take(entry, head);
				});
				if (opened.length > 0) calls.reads++;
				calls.paths.push(...opened);
				return found ?? [];
			},
		}),
	};
	return { backend: counted, calls };
}

/** Waits until the disk's clock has moved on, so that what was written before is trusted. */
export async function settle(): Promise<void> {
	await setTimeout(RACY_MS + 50);
}

/** Gives back a skill's metadata without a file behind it. */
export function fakeSkill(name: string, more: Partial<SkillMetadata> = {}): SkillMetadata {
	return {
		name,
		description: `About ${name}`,
		path: `/${name}/SKILL.md`,
		directory: `/${name}`,
		metadata: {},
		allowedTools: [],
		modelInvocable: true,
		source: 'Test',
		contentHash: 'hash',
		diagnostics: [],
		...more,
	};
}

/** The scope of the tests. */
export const SCOPE: Scope = { state: 'skills', session: 'chat-1' };

/** Gives back an empty store of loaded skills. */
export function newStore(live: Sessions = new Map(), scope: Scope = SCOPE): LoadedStore {
	return createLoadedStore(live, scope, () => undefined);
}

/** Gives back what a tool call needs. */
export function toolContext(skills: SkillSet, more: Partial<ToolContext> = {}): ToolContext {
	return {
		skills,
		store: newStore(),
		maxLoaded: 10,
		prefix: '',
		execution: 'run-1',
		pinned: [],
		now: () => 1_700_000_000_000,
		...more,
	};
}

/** Gives back the text that a tool answers with. */
export async function answer(context: ToolContext, tool: ToolName, args: unknown): Promise<string> {
	return (await runTool(context, tool, args)).text;
}

/** Gives back the text that `load_skill` answers with. */
export async function load(context: ToolContext, name: string): Promise<string> {
	return await answer(context, 'load_skill', { skill_name: name });
}

/** Gives back the text that `unload_skill` answers with. */
export async function unload(context: ToolContext, name: string): Promise<string> {
	return await answer(context, 'unload_skill', { skill_name: name });
}

/** Gives back the names that are loaded. */
export async function loadedNames({ store }: Pick<ToolContext, 'store'>): Promise<string[]> {
	return (await store.read()).map((one) => one.name);
}
