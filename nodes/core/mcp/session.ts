import { SkillError } from '../errors';
import type { HttpClient } from '../http';
import type { McpFolder } from './skills';
import type { McpServer } from './types';

/** A server that is connected to when it is first needed: what is remembered needs none. */
export class LazyServer {
	private server?: Promise<McpServer>;

	constructor(
		private readonly url: string,
		private readonly http: HttpClient,
	) {}

	/** Gives back what a task makes of the server. */
	async use<T>(task: (server: McpServer) => Promise<T>): Promise<T> {
		this.server ??= this.connect();
		return await task(await this.server);
	}

	/** Ends the session, if there is one. */
	async close(): Promise<void> {
		await this.server?.then(
			async (server) => await server.close(),
			() => undefined,
		);
	}

	private async connect(): Promise<McpServer> {
		// The SDK is large, and most nodes never speak to an MCP server.
		const { connectMcpServer } = await import('./client');
		return await connectMcpServer(this.url, this.http);
	}
}

/** Gives back a file; where it is not as promised, as the server promises it by now. */
export async function readFresh(
	server: McpServer,
	{ skill }: McpFolder,
	uri: string,
): Promise<Uint8Array> {
	try {
		return await server.read(skill, uri);
	} catch (error) {
		if (!(error instanceof SkillError) || error.code !== 'digest-mismatch') throw error;
		const fresh = await server.get(skill.uri).catch(() => skill);
		if (JSON.stringify(fresh) === JSON.stringify(skill)) throw error;
		return await server.read(fresh, uri);
	}
}
