import { createHash } from 'node:crypto';

import { diagnostic, type Diagnostic } from '../errors';
import { MAX_INDEXED_SKILLS } from '../limits';
import { isSafePath, joinPath } from '../path';
import { SKILL_FILE } from '../skill';
import { echo } from '../text';
import type { BackendEntry } from '../types';
import type { McpFile, McpListing, McpSkill } from './types';

/** A skill of an MCP server, and where it stands in the backend. */
export interface McpFolder {
	skill: McpSkill;
	path: string;
	version: string;
	/** By the path below the folder; of a dynamic skill only its SKILL.md is known. */
	files: Map<string, Partial<McpFile> & { uri: string }>;
}

/** The skills of an MCP server by their folders. */
export interface McpIndex {
	folders: Map<string, McpFolder>;
	problems: Diagnostic[];
}

/** Gives back the skills of a listing, each in a folder of its own; the wrong ones are reported. */
export function indexSkills({ skills, invalid }: McpListing): McpIndex {
	const folders = new Map<string, McpFolder>();
	const problems = invalid.map(({ uri = '(no address)', reason }) => wrong(uri, reason));
	for (const skill of skills.slice(0, MAX_INDEXED_SKILLS)) {
		const folder = toFolder(skill);
		if (typeof folder === 'string') problems.push(wrong(skill.uri, folder));
		else if (folders.has(folder.path)) problems.push(wrong(skill.uri, 'it is there twice'));
		else folders.set(folder.path, folder);
	}
	if (skills.length > MAX_INDEXED_SKILLS) {
		const message = `The MCP server lists ${skills.length} skills; only the first ${MAX_INDEXED_SKILLS} are used.`;
		problems.push(diagnostic('source-too-large', message));
	}
	return { folders, problems };
}

/** Gives back the folder of a skill that a path leads into, and the rest of the path. */
export function findFolder(
	{ folders }: McpIndex,
	path: string,
): { folder: McpFolder; inside: string } | null {
	const [, first, second = ''] = path.split('/');
	for (const start of [`/${first}`, `/${first}/${second}`]) {
		const folder = folders.get(start);
		if (folder) return { folder, inside: path.slice(start.length + 1) };
	}
	return null;
}

/** Gives back the skills and groups in the root or in a group, null where there is neither. */
export function listSkills({ folders, problems }: McpIndex, dir: string): BackendEntry[] | null {
	const above = dir === '/' ? '/' : `${dir}/`;
	const entries = new Map<string, BackendEntry>();
	for (const { path, version, skill } of folders.values()) {
		if (!path.startsWith(above)) continue;
		const [child, deeper] = path.slice(above.length).split('/');
		const own = { version, frontmatter: frontmatterOf(skill) };
		const whole = above + child;
		entries.set(whole, { path: whole, isDirectory: true, ...(deeper ? {} : own) });
	}
	if (dir !== '/' && entries.size === 0) return null;
	const found = dir === '/' ? problems : [];
	return [
		...found.map((problem) => ({ path: '/', isDirectory: true, problem })),
		...[...entries.values()].sort(byPath),
	];
}

/** Gives back one level of a skill's files, null where none lies below. */
export function listFiles({ path, files }: McpFolder, inside: string): BackendEntry[] | null {
	const above = inside === '' ? '' : `${inside}/`;
	const entries = new Map<string, BackendEntry>();
	for (const [file, { size, digest }] of files) {
		if (!file.startsWith(above)) continue;
		const [child, deeper] = file.slice(above.length).split('/');
		const whole = joinPath(path, above + child);
		const isDirectory = deeper !== undefined;
		entries.set(whole, { path: whole, isDirectory, ...(isDirectory ? {} : known(size, digest)) });
	}
	return entries.size === 0 ? null : [...entries.values()].sort(byPath);
}

/** Gives back the path of a file below the folder of its skill, null for one outside of it. */
export function relativePath({ uri }: McpSkill, file: string): string | null {
	const root = uri.slice(0, -SKILL_FILE.length);
	if (!file.startsWith(root)) return null;
	try {
		const path = decodeURIComponent(new URL(file).href.slice(new URL(root).href.length));
		return isSafePath(`/${path}`) ? path : null;
	} catch {
		return null;
	}
}

/** Gives back the address of a file below the folder of a skill. */
export function fileUri({ uri }: McpSkill, inside: string): string {
	const root = uri.slice(0, -SKILL_FILE.length);
	return root + inside.split('/').map(encodeURIComponent).join('/');
}

function toFolder(skill: McpSkill): McpFolder | string {
	const path = folderPath(skill);
	if (!isSafePath(path)) return 'its address cannot be used as a path';
	const files: McpFolder['files'] = new Map([[SKILL_FILE, { uri: skill.uri }]]);
	for (const file of skill.resources === 'dynamic' ? [] : skill.resources) {
		const relative = relativePath(skill, file.uri);
		if (relative === null) return `its file ${echo(file.uri)} has a name that is not allowed`;
		files.set(relative, file);
	}
	const version = files.get(SKILL_FILE)?.digest ?? hashOf(skill);
	return { skill, path, version, files };
}

/**
 * A skill stands at "/refunds"; one with a prefix in its address at "/@acme+billing/refunds". No
 * skill's name can begin so, and a skill inside of another one has a place of its own.
 */
function folderPath({ uri, frontmatter }: McpSkill): string {
	const { protocol, host, pathname } = new URL(uri);
	const scheme = protocol === 'skill:' ? [] : [protocol.slice(0, -1)];
	const prefix = [...scheme, host, ...pathname.split('/')].filter((part) => part !== '');
	const group = prefix.slice(0, -2).map((part) => part.replace(/[+\\:]/g, '-'));
	return group.length === 0 ? `/${frontmatter.name}` : `/@${group.join('+')}/${frontmatter.name}`;
}

/**
 * The extension forbids to heed `allowed-tools` of a server, which asks for rights on this side:
 * specification/stable/skills.mdx#security-considerations. Values are texts, as in a SKILL.md.
 */
function frontmatterOf({ frontmatter }: McpSkill): Record<string, unknown> {
	const fields = Object.entries(frontmatter).filter(([key]) => key !== 'allowed-tools');
	return Object.fromEntries(fields.map(([key, value]) => [key, asYaml(value)]));
}

function asYaml(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(asYaml);
	if (typeof value !== 'object' || value === null) return String(value ?? '');
	return new Map(Object.entries(value).map(([key, part]) => [key, asYaml(part)]));
}

function known(size: number | undefined, digest: string | undefined): Partial<BackendEntry> {
	return { ...(size === undefined ? {} : { size }), ...(digest ? { version: digest } : {}) };
}

function wrong(uri: string, reason: string): Diagnostic {
	const message = `The MCP server lists a skill that cannot be used, ${echo(uri)}: ${echo(reason)}.`;
	return diagnostic('index-entry-invalid', message);
}

function hashOf(skill: McpSkill): string {
	return createHash('sha256').update(JSON.stringify(skill)).digest('hex');
}

function byPath(a: BackendEntry, b: BackendEntry): number {
	return a.path < b.path ? -1 : 1;
}
