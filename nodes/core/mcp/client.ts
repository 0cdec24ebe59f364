import {
	Client,
	ProtocolError,
	SdkHttpError,
	StreamableHTTPClientTransport,
	type FetchLike,
} from '@modelcontextprotocol/client';
import {
	SkillsClient,
	SkillVerificationError,
	type Skill,
} from '@modelcontextprotocol/client/ext/skills';

import { messageOf, SkillError } from '../errors';
import { assertSuccess, HttpFailure, type HttpClient, type HttpResponse } from '../http';
import {
	MAX_MCP_ANSWER_BYTES,
	MAX_MCP_PAGES,
	MAX_MCP_TOTAL_BYTES,
	MCP_TIMEOUT_MS,
} from '../limits';
import { echo, oneLine } from '../text';
import { parseYamlJson } from '../yaml';
import { McpAbsent, type McpServer } from './types';

const EXTENSION = 'io.modelcontextprotocol/skills';
const FOLDER_TYPE = 'inode/directory';
/** Codes of JSON-RPC by which servers say that they have no such thing. */
const ABSENT_CODES = new Set([-32602, -32002]);
const NO_BODY = new Set([204, 205, 304]);

/**
 * Gives back a server, asked through our own HTTP client, in either generation of the protocol.
 * This is the one module that imports the MCP SDK; the build bundles it here.
 */
export async function connectMcpServer(url: string, http: HttpClient): Promise<McpServer> {
	const exchange: Exchange = { bytes: 0 };
	const transport = new StreamableHTTPClientTransport(new URL(url), {
		fetch: fetchOver(http, exchange),
		reconnectionOptions: {
			maxRetries: 0,
			initialReconnectionDelay: 0,
			maxReconnectionDelay: 0,
			reconnectionDelayGrowFactor: 1,
		},
	});
	const client = new Client(
		{ name: 'n8n-nodes-agent-skills', version: '1' },
		{ versionNegotiation: { mode: 'auto' }, listMaxPages: MAX_MCP_PAGES },
	);
	const close = async () => {
		await transport.terminateSession().catch(() => undefined);
		await client.close().catch(() => undefined);
	};
	const skills = new SkillsClient(client, { skipInvalid: true, parseFrontmatter: parseYamlJson });
	const safely = async <T>(task: () => Promise<T>): Promise<T> => {
		Object.assign(exchange, { error: undefined, bytes: 0 });
		return await task().catch((error: unknown) => {
			throw explained(exchange.error ?? error);
		});
	};
	try {
		await safely(async () => await client.connect(transport, { timeout: MCP_TIMEOUT_MS }));
		if (!skills.supported) throw withoutSkills();
	} catch (error) {
		await close();
		throw error;
	}
	return { ...methodsOf(skills, safely), close };
}

type Safely = <T>(task: () => Promise<T>) => Promise<T>;

function methodsOf(skills: SkillsClient, safely: Safely): Omit<McpServer, 'close'> {
	const timeout = { timeout: MCP_TIMEOUT_MS };
	return {
		list: async () => await safely(async () => await skills.list({}, timeout)),
		get: async (uri) => await safely(async () => (await skills.get(uri, timeout)).skill),
		read: async (skill, uri) =>
			await safely(async () => (await skills.read(skill as Skill, uri, timeout)).bytes),
		async children(uri) {
			if (!skills.directoryRead) return null;
			const { resources } = await safely(async () => await skills.readDirectory(uri, timeout));
			return resources.map((one) => ({ uri: one.uri, isDirectory: one.mimeType === FOLDER_TYPE }));
		},
	};
}

/** What is noted of the requests for one question. */
interface Exchange {
	error?: unknown;
	bytes: number;
}

/** Gives back a fetch over our client; what it throws is noted, as the SDK wraps errors. */
function fetchOver(http: HttpClient, exchange: Exchange): FetchLike {
	return async (input, init = {}) => {
		// The stream for what a server says unasked: we ask, and leave.
		if (init.method !== 'POST' && init.method !== 'DELETE')
			return new Response(null, { status: 405 });
		try {
			const response = await http({
				url: String(input),
				method: init.method,
				headers: Object.fromEntries(new Headers(init.headers).entries()),
				...(typeof init.body === 'string' ? { body: init.body } : {}),
				maxBytes: MAX_MCP_ANSWER_BYTES,
			});
			if ([401, 403, 429].includes(response.status) || response.status >= 500) {
				assertSuccess(response);
			}
			// A list may come in many pages, each within its limit.
			exchange.bytes += response.body.byteLength;
			if (exchange.bytes > MAX_MCP_TOTAL_BYTES) {
				throw new HttpFailure('too_large', `more than ${MAX_MCP_TOTAL_BYTES} bytes in all`);
			}
			return toResponse(response);
		} catch (error) {
			exchange.error = error;
			throw error;
		}
	};
}

function toResponse({ status, headers, body }: HttpResponse): Response {
	const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false;
	// The SDK would wait for the rest of a stream until its time is up; here all is read already.
	if (isStream && !holdsAnswer(Buffer.from(body).toString('utf8'))) {
		throw new HttpFailure('network', 'the answer ended before it was complete');
	}
	return new Response(NO_BODY.has(status) ? null : Buffer.from(body), { status, headers });
}

/** Tells whether one of the whole events of a stream is the answer to a request. */
function holdsAnswer(stream: string): boolean {
	const events = stream.split(/\r?\n\r?\n/).slice(0, -1);
	return events.some((event) => /"(?:result|error)"\s*:/.test(event));
}

function withoutSkills(): SkillError {
	return new SkillError(
		'source-invalid',
		`The MCP server does not offer skills: it does not declare the extension ${EXTENSION}.`,
		'Check the address, or use a server that has the extension (SEP-2640).',
	);
}

/** Gives back the error in the words of this package. */
function explained(error: unknown): Error {
	if (error instanceof SkillError || error instanceof HttpFailure) return error;
	const message = echo(oneLine(messageOf(error)));
	if (error instanceof SkillVerificationError) {
		if (error.reason === 'unlisted') return new McpAbsent('the skill has no such file');
		return new SkillError('digest-mismatch', `digest mismatch: ${message}`);
	}
	if (error instanceof ProtocolError && ABSENT_CODES.has(error.code)) return new McpAbsent(message);
	if (error instanceof SdkHttpError && (error.status === 404 || error.status === 405)) {
		const what = `There is no MCP server at this address (status ${error.status}).`;
		return new SkillError('source-not-found', what, 'Check the address; it often ends in /mcp.');
	}
	return new SkillError('source-unreadable', `The MCP server answered wrongly: ${message}`);
}
