import { createHash } from 'node:crypto';

import { messageOf, SkillError } from '../errors';
import { HttpFailure, type HttpClient, type HttpRequest, type HttpResponse } from '../http';
import { MAX_INDEX_BYTES, MAX_REMOTE_PLACES, MIN_ANSWER_BYTES } from '../limits';
import { LruMap } from '../lru';
import { pauseOf, rateLimited, refusalOf } from './refusals';
import type { Repository } from './repository';
import type { TreeItem } from './tree';

/** A commit and the ETag by which to ask whether it is still the one. */
export interface Head {
	/** Empty: the repository has no commit yet. */
	commit: string;
	etag?: string;
}

/** One answer of the API to a request for a tree. */
export interface TreeAnswer {
	items: TreeItem[];
	isTruncated: boolean;
}

/** The three requests that reading a repository takes. */
export interface GithubApi {
	/** Gives back the commit of the repository's ref, null when it is still the previous one. */
	head(previous?: Head): Promise<Head | null>;
	tree(sha: string, isRecursive: boolean): Promise<TreeAnswer>;
	blob(sha: string, size: number): Promise<Uint8Array>;
}

/** Until when a place wants no requests, by place and credential. */
const pauses = new LruMap<string, { until: number }>(MAX_REMOTE_PLACES);

const EMPTY_REPOSITORY = 409;
const COMMIT = /^[\da-f]{40}$/;

/** Gives back the API of one repository; `identity` tells credentials apart, empty: no token. */
export function createGithubApi(
	client: HttpClient,
	repository: Repository,
	identity: string,
	now: () => number = Date.now,
): GithubApi {
	const { apiUrl, owner, name, ref } = repository;
	const hasToken = identity !== '';
	const pause = pauses.getOrCreate(`${apiUrl} ${identity}`, () => ({ until: 0 }));

	const get = async (path: string, accept: string, more: Partial<HttpRequest> = {}) => {
		if (now() < pause.until) throw rateLimited(pause.until, hasToken);
		const response = await client({
			url: `${apiUrl}/repos/${owner}/${name}/${path}`,
			maxBytes: MAX_INDEX_BYTES,
			...more,
			headers: { ...headersFor(accept), ...more.headers },
		}).catch((error: unknown) => {
			throw unreachable(error);
		});
		const until = pauseOf(response, now());
		if (until === null) return response;
		pause.until = until;
		throw rateLimited(until, hasToken);
	};
	const assertOk = (response: HttpResponse) => {
		if (response.status !== 200) throw refusalOf(response, repository, hasToken);
	};

	return {
		async head(previous) {
			const path = `commits/${encodeURIComponent(ref === '' ? 'HEAD' : ref)}`;
			const headers = previous?.etag ? { 'If-None-Match': previous.etag } : undefined;
			const response = await get(path, 'application/vnd.github.sha', { headers });
			if (response.status === 304) return null;
			if (response.status === EMPTY_REPOSITORY) return { commit: '' };
			assertOk(response);
			const commit = Buffer.from(response.body).toString().trim();
			if (!COMMIT.test(commit)) throw notTheApi();
			return { commit, etag: response.headers.etag };
		},
		async tree(sha, isRecursive) {
			const path = `git/trees/${sha}${isRecursive ? '?recursive=1' : ''}`;
			const response = await get(path, 'application/vnd.github+json');
			assertOk(response);
			return treeAnswer(response.body);
		},
		async blob(sha, size) {
			const maxBytes = Math.max(size, MIN_ANSWER_BYTES);
			const accept = 'application/vnd.github.raw+json';
			const response = await get(`git/blobs/${sha}`, accept, { maxBytes });
			assertOk(response);
			assertContent(sha, response.body);
			return response.body;
		},
	};
}

/** Tells whether a ref is a whole commit id, which means the same files for ever. */
export function isCommit(ref: string): boolean {
	return COMMIT.test(ref);
}

function headersFor(accept: string): Record<string, string> {
	return {
		Accept: accept,
		'User-Agent': 'n8n-nodes-agent-skills',
		'X-GitHub-Api-Version': '2022-11-28',
	};
}

function treeAnswer(body: Uint8Array): TreeAnswer {
	let answer: { tree?: unknown; truncated?: unknown } | null;
	try {
		answer = JSON.parse(Buffer.from(body).toString()) as typeof answer;
	} catch {
		throw notTheApi();
	}
	if (!Array.isArray(answer?.tree)) throw notTheApi();
	return { items: answer.tree.filter(isTreeItem), isTruncated: answer.truncated === true };
}

function isTreeItem(item: unknown): item is TreeItem {
	const { path, mode, type, sha, size = 0 } = (item ?? {}) as Record<string, unknown>;
	const isText = [path, mode, type, sha].every((value) => typeof value === 'string');
	return isText && COMMIT.test(sha as string) && typeof size === 'number';
}

/** The name of a blob is the hash of its content, so what came can be checked. */
function assertContent(sha: string, content: Uint8Array): void {
	const hash = createHash('sha1').update(`blob ${content.byteLength}\0`).update(content);
	if (hash.digest('hex') === sha) return;
	throw new SkillError('digest-mismatch', 'the file is not the one that the commit names');
}

function notTheApi(): SkillError {
	return new SkillError(
		'source-unreadable',
		'The answer is not one of the GitHub API.',
		'Check the API address; of GitHub Enterprise Server it ends in /api/v3.',
	);
}

function unreachable(error: unknown): unknown {
	if (!(error instanceof HttpFailure)) return error;
	return new SkillError('source-unreadable', `GitHub could not be reached: ${messageOf(error)}.`);
}
