import { createHash } from 'node:crypto';

import { z } from 'zod';

import { diagnostic, SkillError, type Diagnostic } from '../errors';
import { MAX_INDEXED_SKILLS } from '../limits';
import { safeRelativePath } from '../path';
import { SKILL_FILE } from '../skill';
import { echo } from '../text';

/** The one version of the index that says its version. */
export const INDEX_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

/** A file of a site; the digest is of its raw bytes. */
export interface SiteFile {
	url: string;
	digest?: string;
}

/** A skill as an index tells of it: single files by their path in the skill, or an archive. */
export interface SiteSkill {
	name: string;
	description: string;
	version: string;
	content: { files: Map<string, SiteFile> } | { archive: Required<SiteFile> };
}

/** What an index says, the wrong entries left out. */
export interface SiteIndex {
	skills: Map<string, SiteSkill>;
	problems: Diagnostic[];
}

type ToSkill = (entry: unknown, url: string) => SiteSkill;

const name = z
	.string()
	.refine((text) => safeRelativePath(text) === text && !/^\.|\/|^node_modules$/.test(text), {
		message: 'must be lowercase letters, digits and hyphens',
	});
const text = z.string().refine((value) => value.trim() !== '', { message: 'is empty' });

/** An entry of version 0.2.0: https://github.com/cloudflare/agent-skills-discovery-rfc */
const entry = z.object({
	name,
	type: z.enum(['skill-md', 'archive']),
	description: text,
	url: text,
	digest: z.string().regex(/^sha256:[\da-f]{64}$/, 'must be sha256: and 64 hexadecimal digits'),
});

/** An entry of version 0.1, whose files lie below the index. */
const oldEntry = z.object({
	name,
	description: text,
	files: z
		.array(z.string().refine((path) => safeRelativePath(path) === path, 'has a path not allowed'))
		.refine((paths) => paths.includes(SKILL_FILE), { message: `must list ${SKILL_FILE}` })
		.default([SKILL_FILE]),
});

/** Gives back what the index at this address says; it throws where it is no index at all. */
export function parseSiteIndex(body: Uint8Array, url: string): SiteIndex {
	const { $schema: schema, skills } = readIndex(body);
	if (schema !== undefined && schema !== INDEX_SCHEMA) {
		const message = `The index at ${placeOf(url)} has the version "${echo(schema)}", which is not known here; nothing of it is used. Known are ${INDEX_SCHEMA} and indexes without "$schema".`;
		return { skills: new Map(), problems: [diagnostic('index-unsupported', message)] };
	}
	if (!Array.isArray(skills)) {
		throw new SkillError('source-unreadable', 'The index has no list "skills".');
	}
	return collect(skills, url, schema === undefined ? toOldSkill : toSkill);
}

/** Gives back an address as people may see it: a query may hold a secret. */
export function placeOf(url: string): string {
	const { origin, pathname } = new URL(url);
	return origin + pathname;
}

function readIndex(body: Uint8Array): { $schema?: unknown; skills?: unknown } {
	let value: unknown;
	try {
		value = JSON.parse(
			Buffer.from(body)
				.toString('utf8')
				.replace(/^\ufeff/, ''),
		);
	} catch {
		throw new SkillError('source-unreadable', 'The index is not JSON.');
	}
	return typeof value === 'object' && value !== null ? value : {};
}

function collect(entries: unknown[], url: string, convert: ToSkill): SiteIndex {
	const skills = new Map<string, SiteSkill>();
	const problems: Diagnostic[] = [];
	entries.slice(0, MAX_INDEXED_SKILLS).forEach((one, position) => {
		try {
			const skill = convert(one, url);
			if (skills.has(skill.name)) problems.push(twice(skill.name, url));
			skills.set(skill.name, skill);
		} catch (error) {
			problems.push(invalid(one, position, url, error));
		}
	});
	if (entries.length > MAX_INDEXED_SKILLS) {
		const message = `The index at ${placeOf(url)} lists ${entries.length} skills; only the first ${MAX_INDEXED_SKILLS} are used.`;
		problems.push(diagnostic('source-too-large', message));
	}
	if (entries.length === 0) {
		problems.push(diagnostic('source-empty', `The index at ${placeOf(url)} lists no skills.`));
	}
	return { skills, problems };
}

function toSkill(value: unknown, indexUrl: string): SiteSkill {
	const { name, type, description, digest, ...given } = entry.parse(value);
	const url = addressOf(given.url, indexUrl);
	const content =
		type === 'archive'
			? { archive: { url, digest } }
			: { files: new Map([[SKILL_FILE, { url, digest }]]) };
	return { name, description, version: digest, content };
}

function toOldSkill(value: unknown, indexUrl: string): SiteSkill {
	const { name, description, files } = oldEntry.parse(value);
	const urlOf = (path: string) => {
		const encoded = `${name}/${path}`.split('/').map(encodeURIComponent).join('/');
		return new URL(encoded, indexUrl).href;
	};
	// Without digests a change shows only where the entry itself changes.
	const version = createHash('sha256').update(JSON.stringify([name, description, files]));
	const content = { files: new Map(files.map((path) => [path, { url: urlOf(path) }])) };
	return { name, description, version: `entry:${version.digest('hex')}`, content };
}

function addressOf(url: string, indexUrl: string): string {
	if (!URL.canParse(url, indexUrl)) throw new Error('url is not a web address');
	const { protocol, username, password, href } = new URL(url, indexUrl);
	if (protocol !== 'http:' && protocol !== 'https:') throw new Error('url is not http or https');
	if (username !== '' || password !== '') throw new Error('url holds a password');
	return href;
}

function invalid(value: unknown, position: number, url: string, error: unknown): Diagnostic {
	const given = (value as { name?: unknown } | null)?.name;
	const isName = name.safeParse(given).success;
	const which = isName ? `"${given as string}"` : `number ${position + 1}`;
	const message = `The entry ${which} of the index at ${placeOf(url)} was left out: ${whyInvalid(error)}.`;
	return diagnostic('index-entry-invalid', message, isName ? pathOf(given as string) : {});
}

function whyInvalid(error: unknown): string {
	if (!(error instanceof z.ZodError)) return (error as Error).message;
	const [{ path, message, code }] = error.issues;
	if (path.length === 0) return 'it is no object';
	const field = `"${String(path[0])}"`;
	if (code === 'invalid_type') return `${field} is missing or of the wrong kind`;
	if (code === 'invalid_enum_value') return `${field} must be "skill-md" or "archive"`;
	return `${field} ${message}`;
}

function twice(name: string, url: string): Diagnostic {
	const message = `The index at ${placeOf(url)} lists "${name}" twice; the last one is used.`;
	return diagnostic('skill-duplicate', message, pathOf(name));
}

function pathOf(name: string): { path: string } {
	return { path: `/${name}/${SKILL_FILE}` };
}
