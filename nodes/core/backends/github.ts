import { messageOf, SkillError } from '../errors';
import { createGithubApi } from '../github/api';
import { MARKETPLACE_FILE, readMarketplace, type Offer } from '../github/marketplace';
import { locationOf, type Repository } from '../github/repository';
import type { GitEntry, GitTree } from '../github/tree';
import { lookAt, treeOf, type View } from '../github/view';
import type { HttpClient } from '../http';
import { GITHUB_MIN_REFRESH_MS, MAX_MARKETPLACE_BYTES } from '../limits';
import { mapParallel } from '../parallel';
import { isSafePath, safeAbsolutePath } from '../path';
import { blobs, lastAnswer, remembered } from '../remote';
import type { BackendEntry, ReadErrorCode, ReadResult, SkillBackend } from '../types';

/** A repository, and how it is reached. */
export interface GithubOptions {
	client: HttpClient;
	repository: Repository;
	/** Folders that are looked at; they matter for repositories with very many files. */
	sources: string[];
	/** Tells credentials apart, so that none sees what only another may; empty: no token. */
	identity: string;
	refreshMs: number;
}

/**
 * Gives back a backend over a GitHub repository. Of a repository with a marketplace.json the root
 * holds the skills that it offers, in place of its folders.
 */
export function createGithubBackend(options: GithubOptions): SkillBackend {
	const { repository, identity } = options;
	const { apiUrl, owner, name, ref } = repository;
	const id = `github:${JSON.stringify([apiUrl, owner, name, ref, identity])}`;
	const reader = new Reader(options, id);
	return {
		id,
		location: locationOf(repository),
		revision: () => lastAnswer<View>(id)?.head.commit || undefined,

		async list(dir) {
			const safe = safeAbsolutePath(dir);
			if (safe === null) return null;
			const view = await reader.now();
			const tree = await reader.tree(view, safe);
			return safe === '/' ? await reader.root(view, tree) : tree.list(safe);
		},

		async read(paths, maxBytes) {
			const view = await reader.nowOrLast().catch((error: unknown) => messageOf(error));
			return await mapParallel(paths, async (path) => {
				if (!isSafePath(path)) return refusal(path, 'unsafe_path', 'the path is not allowed');
				if (typeof view === 'string') return refusal(path, 'unreadable', view);
				return await reader.read(view, path, maxBytes).catch((error: unknown) => {
					const hint = error instanceof SkillError && error.hint ? ` ${error.hint}` : '';
					return refusal(path, 'unreadable', messageOf(error) + hint);
				});
			});
		},
	};
}

/** The repository as far as the process knows it. */
class Reader {
	private readonly api;

	constructor(
		private readonly options: GithubOptions,
		private readonly id: string,
	) {
		this.api = createGithubApi(options.client, options.repository, options.identity);
	}

	async now(): Promise<View> {
		const maxAge = Math.max(this.options.refreshMs, GITHUB_MIN_REFRESH_MS);
		return await remembered<View>(
			this.id,
			maxAge,
			async (previous) => await lookAt(this.api, this.options.repository, previous),
		);
	}

	/** The skills of a place that is down are still offered, so they must be readable. */
	async nowOrLast(): Promise<View> {
		return await this.now().catch((error: unknown) => {
			const last = lastAnswer<View>(this.id);
			const isDenied = error instanceof SkillError && error.code === 'source-denied';
			if (last === undefined || isDenied) throw error;
			return last;
		});
	}

	async tree(view: View, path: string): Promise<GitTree> {
		return await treeOf(view, path, this.api, this.options.sources);
	}

	/** Gives back the root: the skills that a marketplace offers, else what is there. */
	async root(view: View, tree: GitTree): Promise<BackendEntry[] | null> {
		view.offer ??= await this.offer(tree);
		const { folders, problems } = view.offer;
		const isWalked = folders.length === 0 || folders.includes('/');
		return [
			...(isWalked ? (tree.list('/') ?? []) : folders.map((path) => ({ path, isDirectory: true }))),
			...problems.map((problem) => ({ path: MARKETPLACE_FILE, isDirectory: false, problem })),
		];
	}

	async read(view: View, path: string, maxBytes: number): Promise<ReadResult> {
		const tree = await this.tree(view, path);
		const entry = tree.find(path);
		if (entry === undefined) {
			return tree.list(path)
				? refusal(path, 'not_a_file', 'it is not a file')
				: refusal(path, 'not_found', 'file not found');
		}
		if (entry.refused) {
			return refusal(path, 'access_denied', 'it is a link, which is not followed');
		}
		const { size = 0 } = entry;
		if (size > maxBytes) {
			return refusal(path, 'too_large', `the file has ${size} bytes, more than ${maxBytes}`);
		}
		return { path, content: await this.blob(entry) };
	}

	private async offer(tree: GitTree): Promise<Offer> {
		const file = tree.find(MARKETPLACE_FILE);
		if (!file || file.refused || (file.size ?? 0) > MAX_MARKETPLACE_BYTES) {
			return { folders: [], problems: [] };
		}
		return readMarketplace(await this.blob(file), tree);
	}

	private async blob({ sha, size = 0 }: GitEntry): Promise<Uint8Array> {
		return await blobs.get(`${this.id}:${sha}`, async () => await this.api.blob(sha, size));
	}
}

function refusal(path: string, error: ReadErrorCode, message: string): ReadResult {
	return { path, error, message };
}
