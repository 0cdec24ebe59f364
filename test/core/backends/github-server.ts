import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { HttpFailure, type HttpExchange } from '../../../nodes/core/http';
import type { Tree } from '../support';
import { GitObjects } from './git-objects';

/** A request that came, and what it was answered. */
export interface SeenRequest {
	path: string;
	headers: IncomingMessage['headers'];
	status: number;
}

/** Does something else than the API would; true: the request is done with. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A repository on the server, changed as `git push` would. */
export class ServedRepository {
	readonly objects = new GitObjects();
	readonly refs = new Map<string, string>();
	isPrivate = false;
	/** Most entries that one listing of a tree gives. */
	treeLimit = 100_000;
	private files: Tree = {};

	constructor(
		readonly id: number,
		public name: string,
		readonly defaultBranch = 'main',
	) {}

	/** Gives back the new commit of a branch; null as content deletes a file. */
	push(changes: Record<string, string | Uint8Array | null>, branch = this.defaultBranch): string {
		const all = Object.entries({ ...this.files, ...changes });
		this.files = Object.fromEntries(all.filter(([, content]) => content !== null)) as Tree;
		const commit = this.objects.commit(this.files, this.refs.get(branch) ?? '');
		this.refs.set(branch, commit);
		return commit;
	}

	/** Gives back the commit that a name means. */
	resolve(ref: string): string | undefined {
		const name = ref === 'HEAD' ? this.defaultBranch : ref.replace(/^(?:heads|tags)\//, '');
		const commits = [...this.objects.commits.keys()];
		const byId = /^[\da-f]{7,40}$/.test(ref) ? commits.find((id) => id.startsWith(ref)) : undefined;
		return this.refs.get(name) ?? byId;
	}
}

/** A server on loopback that speaks the part of GitHub's REST API that reading needs. */
export class GithubServer {
	readonly requests: SeenRequest[] = [];
	readonly tokens = new Set(['ghp_secret']);
	/** How many requests are left in this hour, and when it ends (seconds). */
	remaining = 5000;
	reset = Math.floor(Date.now() / 1000) + 1800;
	/** Answers in place of the API, first come first served. */
	fault: Fault | null = null;
	private readonly repositories = new Map<string, ServedRepository>();
	private readonly moved = new Map<string, string>();

	private constructor(private readonly server: Server) {}

	/** Gives back a running server. */
	static async start(): Promise<GithubServer> {
		const http = createServer((request, response) => github.handle(request, response));
		const github = new GithubServer(http);
		await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
		return github;
	}

	/** Address of the API. */
	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** Paths of the requests since the last call. */
	takePaths(): string[] {
		return this.requests.splice(0).map(({ path }) => path);
	}

	/** Gives back a new repository; without files it has no commit. */
	create(fullName: string, files?: Tree): ServedRepository {
		const repository = new ServedRepository(this.repositories.size + 1, fullName);
		this.repositories.set(fullName, repository);
		if (files) repository.push(files);
		return repository;
	}

	/** Renames a repository; the old name leads to the new one, as on GitHub. */
	rename(from: string, to: string): void {
		const repository = this.repositories.get(from) as ServedRepository;
		this.repositories.delete(from);
		this.repositories.set(to, repository);
		this.moved.set(from, to);
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private handle(request: IncomingMessage, response: ServerResponse): void {
		const url = new URL(request.url ?? '/', this.url);
		const path = url.pathname.replace(/^\/api\/v3/, '') + url.search;
		const seen: SeenRequest = { path, headers: request.headers, status: 0 };
		this.requests.push(seen);
		response.on('close', () => (seen.status = response.statusCode));
		if (this.fault?.(request, response)) return;
		this.answer(request, url, new Answer(request, response, this));
	}

	private answer(request: IncomingMessage, url: URL, answer: Answer): void {
		const token = /^(?:Bearer|token) (.*)$/.exec(request.headers.authorization ?? '')?.[1];
		if (!request.headers['user-agent']) return answer.fail(403, 'Request forbidden');
		if (token !== undefined && !this.tokens.has(token)) return answer.fail(401, 'Bad credentials');
		if (this.remaining <= 0) return answer.fail(403, 'API rate limit exceeded for 127.0.0.1.');
		this.remaining--;
		const parts = url.pathname
			.replace(/^\/api\/v3/, '')
			.slice(1)
			.split('/');
		if (parts[0] === 'user') {
			return token === undefined
				? answer.fail(401, 'Requires authentication')
				: answer.json({ login: 'octo' });
		}
		const isById = parts[0] === 'repositories';
		const rest = parts.slice(isById ? 2 : 3).map(decodeURIComponent);
		const fullName = isById ? this.nameOf(Number(parts[1])) : `${parts[1]}/${parts[2]}`;
		const target = this.moved.get(fullName);
		const repository = this.repositories.get(target ?? fullName);
		if (!repository || (repository.isPrivate && token === undefined)) {
			return answer.fail(404, 'Not Found');
		}
		if (target)
			return answer.move(
				`${this.url}/repositories/${repository.id}/${rest.join('/')}${url.search}`,
			);
		serve(repository, rest, url, answer);
	}

	private nameOf(id: number): string {
		return [...this.repositories].find(([, one]) => one.id === id)?.[0] ?? '';
	}
}

function serve(repository: ServedRepository, rest: string[], url: URL, answer: Answer): void {
	const { objects } = repository;
	const [kind, sub, sha] = rest;
	if (repository.refs.size === 0) return answer.fail(409, 'Git Repository is empty.');
	if (kind === 'commits') {
		const ref = rest.slice(1).join('/');
		const commit = repository.resolve(ref);
		if (!commit) return answer.fail(422, `No commit found for SHA: ${ref}`);
		return answer.commit(commit, objects.commits.get(commit) ?? '');
	}
	if (kind === 'git' && sub === 'trees') {
		const root = objects.commits.get(repository.resolve(sha) ?? '') ?? sha;
		if (!objects.trees.has(root)) return answer.fail(404, 'Not Found');
		const isRecursive = url.searchParams.has('recursive');
		const items = isRecursive ? objects.walk(root) : (objects.trees.get(root) ?? []);
		const tree = items.slice(0, repository.treeLimit);
		return answer.json({ sha, url: url.href, tree, truncated: tree.length < items.length });
	}
	const blob = kind === 'git' && sub === 'blobs' ? objects.blobs.get(sha) : undefined;
	if (!blob) return answer.fail(404, 'Not Found');
	answer.blob(sha, blob);
}

/** Writes answers with the headers that GitHub sends. */
class Answer {
	constructor(
		private readonly request: IncomingMessage,
		private readonly response: ServerResponse,
		private readonly server: GithubServer,
	) {}

	json(value: unknown): void {
		this.send(200, 'application/json; charset=utf-8', Buffer.from(JSON.stringify(value)));
	}

	fail(status: number, message: string): void {
		const body = {
			message,
			documentation_url: 'https://docs.github.com/rest',
			status: `${status}`,
		};
		this.send(status, 'application/json; charset=utf-8', Buffer.from(JSON.stringify(body)));
	}

	move(location: string): void {
		this.response.setHeader('Location', location);
		this.fail(301, 'Moved Permanently');
	}

	commit(sha: string, tree: string): void {
		const etag = `"${sha}"`;
		this.response.setHeader('ETag', etag);
		if (this.request.headers['if-none-match'] === etag) {
			// Such an answer does not count against the limit.
			this.server.remaining++;
			return this.send(304, 'text/plain', Buffer.alloc(0));
		}
		const isSha = /vnd\.github\.(?:v3\.)?sha/.test(this.request.headers.accept ?? '');
		if (isSha) return this.send(200, 'application/vnd.github.sha; charset=utf-8', Buffer.from(sha));
		this.json({ sha, commit: { tree: { sha: tree } } });
	}

	blob(sha: string, content: Buffer): void {
		const isRaw = /vnd\.github\.(?:v3\.)?raw/.test(this.request.headers.accept ?? '');
		if (isRaw) return this.send(200, 'application/vnd.github.raw+json; charset=utf-8', content);
		const encoded = content.toString('base64');
		this.json({ sha, size: content.byteLength, content: encoded, encoding: 'base64' });
	}

	private send(status: number, type: string, body: Buffer): void {
		const { remaining, reset } = this.server;
		this.response.writeHead(status, {
			'Content-Type': type,
			'X-RateLimit-Limit': '5000',
			'X-RateLimit-Remaining': String(Math.max(remaining, 0)),
			'X-RateLimit-Reset': String(reset),
			'X-GitHub-Media-Type': 'github.v3',
			...(status === 304 ? {} : { 'Content-Length': body.byteLength }),
		});
		this.response.end(body);
	}
}

/** Gives back exchanges without n8n; a token is sent where the client allows it. */
export function plainExchange(token?: string): HttpExchange {
	return async ({ url, method = 'GET', headers, body, maxBytes }, { timeoutMs, authenticate }) => {
		const authorization = token && authenticate ? { Authorization: `Bearer ${token}` } : undefined;
		try {
			const answer = await fetch(url, {
				method,
				headers: { ...headers, ...authorization },
				body,
				redirect: 'manual',
				signal: AbortSignal.timeout(timeoutMs),
			});
			const content = new Uint8Array(await answer.arrayBuffer());
			if (content.byteLength > maxBytes) throw new HttpFailure('too_large', 'too many bytes');
			const all = Object.fromEntries(answer.headers);
			return { url, status: answer.status, headers: all, body: content };
		} catch (error) {
			if (error instanceof HttpFailure) throw error;
			const isTimeout = (error as Error).name === 'TimeoutError';
			throw new HttpFailure(isTimeout ? 'timeout' : 'network', (error as Error).message);
		}
	};
}
