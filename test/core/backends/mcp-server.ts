import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import {
	createMcpHandler,
	McpServer,
	WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import {
	skillEntry,
	SkillsExtension,
	type Skill,
	type SkillReadResult,
	type SkillSource,
} from '@modelcontextprotocol/server/ext/skills';

import type { Tree } from '../support';

/** How a server differs from one that answers at once and all. */
export interface McpServerOptions {
	/** Which generation of the protocol it speaks; the older one has sessions. */
	era?: 'modern' | 'legacy' | 'sessions';
	pageSize?: number;
	/** A bearer token that it wants. */
	token?: string;
	/** False: a server like any other, without the skills extension. */
	skills?: boolean;
	responseMode?: 'auto' | 'sse' | 'json';
	directoryRead?: boolean;
}

/** Skills by their path ("acme/billing/refunds"), and the files of each. */
export type McpSkills = Record<string, Tree>;

/** A real MCP server on loopback, built with the official SDK. */
export interface TestMcpServer {
	url: string;
	/** What it was asked, in order: methods of JSON-RPC, or those of HTTP. */
	calls: string[];
	headers: IncomingMessage['headers'][];
	sessions: Set<string>;
	/** Called before an answer; may take its time, or answer itself by giving back true. */
	before: (request: IncomingMessage, response: ServerResponse) => Promise<boolean> | boolean;
	publish(skills: McpSkills): Promise<void>;
	/** Changes what it serves without changing what it promised. */
	tamper(uri: string, content: SkillReadResult): void;
	/** Changes a skill's entry, or takes it out of the list. */
	edit(path: string, change: (entry: Skill) => Skill, listed?: boolean): void;
	stop(): Promise<void>;
}

class Skills implements SkillSource {
	entries: Skill[] = [];
	hidden = new Set<string>();
	contents = new Map<string, SkillReadResult>();

	constructor(private readonly pageSize: number) {}

	async list({ cursor = '0' }: { cursor?: string }) {
		const listed = this.entries.filter(({ uri }) => !this.hidden.has(uri));
		const end = Number(cursor) + this.pageSize;
		const nextCursor = end < listed.length ? String(end) : undefined;
		return { skills: listed.slice(Number(cursor), end), ...(nextCursor ? { nextCursor } : {}) };
	}

	async get(uri: string) {
		return this.entries.find((entry) => entry.uri === uri);
	}

	async read(uri: string) {
		return this.contents.get(uri);
	}

	async set(skills: McpSkills): Promise<void> {
		const entries: Skill[] = [];
		for (const [path, tree] of Object.entries(skills)) {
			const entry = await skillEntry(path, tree);
			const root = entry.uri.slice(0, -'SKILL.md'.length);
			for (const { uri } of entry.resources as Array<{ uri: string }>) {
				const content = tree[decodeURIComponent(uri.slice(root.length))];
				const isText = typeof content === 'string';
				this.contents.set(uri, isText ? { text: content } : { bytes: content });
			}
			entries.push(entry);
		}
		this.entries = entries;
	}
}

class SkillsWithFolders extends Skills {
	async readDirectory(uri: string) {
		const below = [...this.contents.keys()].filter((file) => file.startsWith(`${uri}/`));
		if (below.length === 0) return undefined;
		const names = new Set(below.map((file) => file.slice(uri.length + 1).split('/')[0]));
		const resources = [...names].map((name) => {
			const isFolder = !this.contents.has(`${uri}/${name}`);
			return {
				uri: `${uri}/${name}`,
				name,
				...(isFolder ? { mimeType: 'inode/directory' } : {}),
			};
		});
		return { resources };
	}
}

const servers: TestMcpServer[] = [];

/** Ends all servers; for `afterEach`. */
export async function stopMcpServers(): Promise<void> {
	await Promise.all(servers.splice(0).map(async (server) => await server.stop()));
}

/** Starts a server with these skills. */
export async function startMcpServer(
	skills: McpSkills,
	options: McpServerOptions = {},
): Promise<TestMcpServer> {
	const Source = options.directoryRead ? SkillsWithFolders : Skills;
	const source = new Source(options.pageSize ?? 100);
	await source.set(skills);
	const sessions = new Set<string>();
	const handle = handlerOf(source, options, sessions);
	const http = createServer((request, response) => {
		void serve(test, handle, options, request, response);
	});
	await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
	const { port } = http.address() as AddressInfo;
	const test: TestMcpServer = {
		url: `http://127.0.0.1:${port}/mcp`,
		calls: [],
		headers: [],
		sessions,
		before: () => false,
		publish: async (changed) => await source.set(changed),
		tamper: (uri, content) => source.contents.set(uri, content),
		edit(path, change, listed = true) {
			const uri = `skill://${path}/SKILL.md`;
			source.entries = source.entries.map((one) => (one.uri === uri ? change(one) : one));
			if (!listed) source.hidden.add(uri);
		},
		async stop() {
			http.closeAllConnections();
			await new Promise((resolve) => http.close(resolve));
		},
	};
	servers.push(test);
	return test;
}

type Handle = (request: Request) => Promise<Response>;

function handlerOf(source: Skills, options: McpServerOptions, sessions: Set<string>): Handle {
	const makeServer = () => {
		const server = new McpServer(
			{ name: 'test-skills', version: '1.0.0' },
			{ capabilities: { resources: {} } },
		);
		const onWarning = () => undefined;
		if (options.skills !== false) new SkillsExtension({ source, onWarning }).attach(server);
		return server;
	};
	if (options.era === 'sessions') return withSessions(makeServer, sessions);
	const handler = createMcpHandler(makeServer, { responseMode: options.responseMode ?? 'auto' });
	return async (request) => await handler.fetch(request);
}

/** A server as most are today: `initialize`, a session by its header, an end by DELETE. */
function withSessions(makeServer: () => McpServer, sessions: Set<string>): Handle {
	const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
	return async (request) => {
		const known = transports.get(request.headers.get('mcp-session-id') ?? '');
		if (known) return await known.handleRequest(request);
		const transport = new WebStandardStreamableHTTPServerTransport({
			sessionIdGenerator: () => randomUUID(),
			onsessioninitialized: (id) => {
				transports.set(id, transport);
				sessions.add(id);
			},
			onsessionclosed: (id) => {
				sessions.delete(id);
			},
		});
		await makeServer().connect(transport);
		return await transport.handleRequest(request);
	};
}

async function serve(
	test: TestMcpServer,
	handle: Handle,
	{ token }: McpServerOptions,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const body = Buffer.concat(chunks).toString();
	const { method } = (body === '' ? {} : JSON.parse(body)) as { method?: string };
	test.calls.push(method ?? String(request.method));
	test.headers.push(request.headers);
	if (await test.before(request, response)) return;
	if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
		response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('no');
		return;
	}
	const answer = await handle(
		new Request(`http://${request.headers.host}${request.url}`, {
			method: request.method,
			headers: request.headers as Record<string, string>,
			...(body === '' ? {} : { body }),
		}),
	);
	response.writeHead(answer.status, Object.fromEntries(answer.headers));
	response.end(Buffer.from(await answer.arrayBuffer()));
}
