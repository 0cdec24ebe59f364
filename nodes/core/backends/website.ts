import { createHash } from 'node:crypto';

import { unpackArchive } from '../archive';
import { diagnostic, messageOf, SkillError } from '../errors';
import { assertSuccess, HttpFailure, type HttpClient } from '../http';
import { MAX_ARCHIVE_BYTES, MAX_RESOURCE_FILE_BYTES } from '../limits';
import { mapParallel } from '../parallel';
import { baseName, isSafePath, safeAbsolutePath } from '../path';
import { blobs, expire, lastAnswer, remembered, unpacked } from '../remote';
import { ABSENT, askIndex, indexUrls, type KnownIndex } from '../site/ask';
import { listFiles, rootEntries, splitPath } from '../site/entries';
import { placeOf, type SiteFile, type SiteSkill } from '../site/parse';
import { SKILL_FILE } from '../skill';
import type { BackendEntry, ReadErrorCode, ReadResult, SkillBackend } from '../types';
import { createDataBackend } from './data';

/** A site that publishes skills, and how it is asked. */
export interface WebsiteOptions {
	/** The site, or its index itself. */
	url: string;
	client: HttpClient;
	/** For so long the index is not asked for again. */
	refreshMs: number;
	/** Names the credential: what one may see is never shown to another. */
	identity?: string;
}

/** Gives back a backend over the skills that a website publishes (Agent Skills discovery). */
export function createWebsiteBackend(options: WebsiteOptions): SkillBackend {
	const site = new Website(options);
	return {
		id: site.id,
		get location() {
			return site.location();
		},
		list: async (dir) => await site.list(dir),
		read: async (paths, maxBytes) => await site.read(paths, maxBytes),
	};
}

class Website {
	readonly id: string;
	private readonly candidates: string[];

	constructor(private readonly options: WebsiteOptions) {
		this.candidates = indexUrls(options.url);
		this.id = `website:${JSON.stringify([this.candidates, options.identity ?? ''])}`;
	}

	location(): string {
		const url = lastAnswer<KnownIndex>(this.id)?.url ?? this.candidates[0];
		return placeOf(new URL('.', url).href).replace(/\/$/, '');
	}

	async list(dir: string): Promise<BackendEntry[] | null> {
		const safe = safeAbsolutePath(dir);
		if (safe === null) return null;
		const index = await this.index();
		if (safe === '/') return rootEntries(index);
		const { name, inside } = splitPath(safe);
		const skill = index.skills.get(name);
		if (!skill) return null;
		if ('files' in skill.content) return listFiles(skill.content.files, name, inside);
		const files = await this.open(index, skill, skill.content.archive);
		const entries = await files.list(inside);
		return entries?.map((entry) => ({ ...entry, path: `/${name}${entry.path}` })) ?? null;
	}

	async read(paths: string[], maxBytes: number): Promise<ReadResult[]> {
		return await mapParallel(paths, async (path) => {
			if (!isSafePath(path)) return refusal(path, 'unsafe_path', 'the path is not allowed');
			try {
				return await this.readOne(path, maxBytes);
			} catch (error) {
				return failure(path, error);
			}
		});
	}

	private async readOne(path: string, maxBytes: number): Promise<ReadResult> {
		// The catalog was made of the last answer, so its files are still meant when the site is down.
		const index = lastAnswer<KnownIndex>(this.id) ?? (await this.index());
		const { name, inside } = splitPath(path);
		const skill = index.skills.get(name);
		if (path === '/' || (skill && inside === '/')) return notAFile(path);
		if (!skill) return refusal(path, 'not_found', 'file not found');
		if ('archive' in skill.content) {
			const files = await this.open(index, skill, skill.content.archive);
			const [result] = await files.read([inside], maxBytes);
			return { ...result, path };
		}
		const { files } = skill.content;
		const file = files.get(inside.slice(1));
		if (!file) {
			const isFolder = listFiles(files, name, inside) !== null;
			return isFolder ? notAFile(path) : refusal(path, 'not_found', 'file not found');
		}
		const content = await this.fetch(index, skill, file, MAX_RESOURCE_FILE_BYTES);
		if (content.byteLength <= maxBytes) return { path, content };
		const message = `the file has ${content.byteLength} bytes, more than ${maxBytes}`;
		return refusal(path, 'too_large', message);
	}

	private async index(): Promise<KnownIndex> {
		const { client, refreshMs } = this.options;
		return await remembered<KnownIndex>(
			this.id,
			refreshMs,
			async (last) => await askIndex(client, this.candidates, last),
		);
	}

	/** Gives back the files of an archive as a backend of its own. */
	private async open(
		index: KnownIndex,
		skill: SiteSkill,
		archive: Required<SiteFile>,
	): Promise<SkillBackend> {
		const files = await unpacked.get(`${this.id} ${archive.digest}`, async () => {
			const content = await this.fetch(index, skill, archive, MAX_ARCHIVE_BYTES);
			try {
				return await unpackArchive(content, baseName(placeOf(archive.url)));
			} catch (error) {
				throw this.refuse(index, skill, error as SkillError);
			}
		});
		return createDataBackend(files);
	}

	private async fetch(
		index: KnownIndex,
		skill: SiteSkill,
		{ url, digest }: SiteFile,
		maxBytes: number,
	): Promise<Uint8Array> {
		// What has no digest is as old as the index may be.
		const key = `${this.id} ${digest ?? `${url} ${index.checkedAt}`}`;
		return await blobs.get(key, async () => {
			const response = await this.options.client({ url, namedBy: index.url, maxBytes });
			if (ABSENT.has(response.status)) throw new Missing('the site does not have the file');
			assertSuccess(response);
			if (digest !== undefined && digestOf(response.body) !== digest) {
				const message = `digest mismatch: ${placeOf(url)} is not the file that the index names`;
				throw this.refuse(index, skill, new SkillError('digest-mismatch', message));
			}
			index.refused.delete(skill.name);
			return response.body;
		});
	}

	/** Notes a refusal for the next report; perhaps the site just changed, so the index is due. */
	private refuse(index: KnownIndex, { name }: SiteSkill, error: SkillError): SkillError {
		const message = `The skill "${name}" cannot be loaded: ${error.message}`;
		const path = `/${name}/${SKILL_FILE}`;
		index.refused.set(name, diagnostic(error.code, message, { path }));
		expire(this.id);
		return error;
	}
}

class Missing extends Error {}

function digestOf(content: Uint8Array): string {
	return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

function failure(path: string, error: unknown): ReadResult {
	const message = messageOf(error);
	if (error instanceof Missing) return refusal(path, 'not_found', message);
	if (error instanceof HttpFailure && error.kind === 'too_large') {
		return refusal(path, 'too_large', message);
	}
	const isDenied = error instanceof SkillError && error.code === 'source-denied';
	return refusal(path, isDenied ? 'access_denied' : 'unreadable', message);
}

function notAFile(path: string): ReadResult {
	return refusal(path, 'not_a_file', 'it is not a file');
}

function refusal(path: string, error: ReadErrorCode, message: string): ReadResult {
	return { path, error, message };
}
