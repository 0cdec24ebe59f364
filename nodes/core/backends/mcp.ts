import { diagnostic, messageOf, SkillError, type Diagnostic } from '../errors';
import { parseUrl, type HttpClient } from '../http';
import { HTTP_PARALLEL_REQUESTS } from '../limits';
import { failure, refusal, tooLarge } from '../mcp/answers';
import { LazyServer, readFresh } from '../mcp/session';
import {
	findFolder,
	indexSkills,
	listFiles,
	fileUri,
	listSkills,
	relativePath,
	type McpFolder,
	type McpIndex,
} from '../mcp/skills';
import type { McpFile, McpServer } from '../mcp/types';
import { mapParallel } from '../parallel';
import { isSafePath, joinPath, parentOf, safeAbsolutePath } from '../path';
import { blobs, expire, lastAnswer, remembered } from '../remote';
import { SKILL_FILE } from '../skill';
import type { BackendEntry, ReadResult, SkillBackend } from '../types';

/** An MCP server that offers skills, and how it is asked. */
export interface McpOptions {
	url: string;
	client: HttpClient;
	/** For so long the list of skills is not asked for again. */
	refreshMs: number;
	/** Names the credential: what one may see is never shown to another. */
	identity?: string;
	/** Addresses of skills that the server has but does not list. */
	uris?: string[];
}

/** The skills of a server, and why files were refused, by their addresses. */
interface Known extends McpIndex {
	refused: Map<string, Diagnostic>;
}

/** Gives back a backend over the skills of an MCP server (skills extension, SEP-2640). */
export function createMcpBackend(options: McpOptions): SkillBackend {
	const url = parseUrl(options.url);
	url.hash = '';
	const parts = [url.href, options.identity ?? '', options.uris ?? []];
	return new McpBackend(options, url, `mcp:${JSON.stringify(parts)}`);
}

class McpBackend implements SkillBackend {
	readonly location: string;

	constructor(
		private readonly options: McpOptions,
		private readonly url: URL,
		readonly id: string,
	) {
		this.location = url.origin + url.pathname.replace(/\/$/, '');
	}

	async list(dir: string): Promise<BackendEntry[] | null> {
		const safe = safeAbsolutePath(dir);
		if (safe === null) return null;
		const index = await remembered<Known>(
			this.id,
			this.options.refreshMs,
			async (last) => await this.session(async (server) => await this.ask(server, last)),
		);
		const found = findFolder(index, safe);
		if (found) return await this.listFolder(found.folder, found.inside);
		const refused = [...index.refused.values()].filter(({ path = '' }) =>
			index.folders.has(parentOf(path)),
		);
		const problems = [...index.problems, ...refused];
		return listSkills({ ...index, problems }, safe);
	}

	async read(paths: string[], maxBytes: number): Promise<ReadResult[]> {
		const server = this.server();
		try {
			const task = async (path: string) => await this.readSafely(server, path, maxBytes);
			return await mapParallel(paths, task, HTTP_PARALLEL_REQUESTS);
		} finally {
			await server.close();
		}
	}

	private async ask(server: McpServer, last?: Known): Promise<Known> {
		const listing = await server.list();
		const listed = new Set(listing.skills.map(({ uri }) => uri));
		for (const uri of this.options.uris ?? []) {
			if (listed.has(uri)) continue;
			try {
				listing.skills.push(await server.get(uri));
			} catch (error) {
				listing.invalid.push({ uri, reason: messageOf(error) });
			}
		}
		// What was refused stays so until it is read well: the list may be right and the file wrong.
		return { ...indexSkills(listing), refused: last?.refused ?? new Map() };
	}

	/** Of a skill without a list of files the server tells what is in its folders, if it can. */
	private async listFolder(folder: McpFolder, inside: string): Promise<BackendEntry[] | null> {
		const { skill, path } = folder;
		const known = listFiles(folder, inside);
		if (skill.resources !== 'dynamic') return known;
		const root = skill.uri.slice(0, -SKILL_FILE.length - 1);
		const below = inside.split('/').map(encodeURIComponent).join('/');
		const children = await this.session(
			async (server) => await server.children(inside === '' ? root : `${root}/${below}`),
		).catch(() => null);
		if (children === null) return known;
		return children.flatMap(({ uri, isDirectory }) => {
			const relative = relativePath(skill, uri);
			return relative === null ? [] : [{ path: joinPath(path, relative), isDirectory }];
		});
	}

	private async readSafely(
		server: LazyServer,
		path: string,
		maxBytes: number,
	): Promise<ReadResult> {
		if (!isSafePath(path)) return refusal(path, 'unsafe_path', 'the path is not allowed');
		try {
			return await this.readOne(server, path, maxBytes);
		} catch (error) {
			return failure(path, error);
		}
	}

	private async readOne(server: LazyServer, path: string, maxBytes: number): Promise<ReadResult> {
		// The catalog was made of the last answer, so its files are still meant when the server is down.
		const index =
			lastAnswer<Known>(this.id) ?? (await server.use(async (one) => await this.ask(one)));
		const found = findFolder(index, path);
		const file = found?.folder.files.get(found.inside);
		const isDynamic = found?.folder.skill.resources === 'dynamic';
		if (!found || (!file && !(isDynamic && found.inside !== ''))) {
			const isFolder = found
				? listFiles(found.folder, found.inside) !== null
				: listSkills(index, path) !== null;
			return isFolder
				? refusal(path, 'not_a_file', 'it is not a file')
				: refusal(path, 'not_found', 'file not found');
		}
		if ((file?.size ?? 0) > maxBytes) return tooLarge(path, file?.size ?? 0, maxBytes);
		const uri = file?.uri ?? fileUri(found.folder.skill, found.inside);
		const content = await this.fetch(server, index, found.folder, { ...file, uri });
		return content.byteLength > maxBytes
			? tooLarge(path, content.byteLength, maxBytes)
			: { path, content };
	}

	private async fetch(
		server: LazyServer,
		index: Known,
		folder: McpFolder,
		{ uri, digest }: Partial<McpFile> & { uri: string },
	): Promise<Uint8Array> {
		const ask = async () => await server.use(async (one) => await readFresh(one, folder, uri));
		const key = `${this.id} ${uri} ${digest}`;
		try {
			const content = digest === undefined ? await ask() : await blobs.get(key, ask);
			index.refused.delete(uri);
			return content;
		} catch (error) {
			if (error instanceof SkillError && error.code === 'digest-mismatch') {
				const message = `The skill "${folder.skill.frontmatter.name}" cannot be loaded: ${error.message}`;
				const path = joinPath(folder.path, SKILL_FILE);
				index.refused.set(uri, diagnostic(error.code, message, { path }));
				expire(this.id);
			}
			throw error;
		}
	}

	private server(): LazyServer {
		return new LazyServer(this.url.href, this.options.client);
	}

	private async session<T>(task: (server: McpServer) => Promise<T>): Promise<T> {
		const server = this.server();
		try {
			return await server.use(task);
		} finally {
			await server.close();
		}
	}
}
