import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { LOOPBACK } from '../ports';
import { completion, streamedCompletion } from './wire';
import type { ChatRequest, Turn } from './wire';

const MAX_BODY_BYTES = 20 * 1024 * 1024;

/** The name under which the model is offered. */
export const MODEL_NAME = 'stand-in';

/** Gives the model's next turn for a request, at once or later. */
export type Answer = (request: ChatRequest) => Turn | Promise<Turn>;

/** An OpenAI-compatible server on loopback. */
export interface ModelServer {
	/** The base URL for a credential, with `/v1`. */
	url: string;
	/** Every chat request so far, oldest first. */
	requests: ChatRequest[];
	stop(): Promise<void>;
}

/** Starts a server that answers chat completions, streamed or not, with what the function gives. */
export async function startModelServer(answer: Answer, port = 0): Promise<ModelServer> {
	const requests: ChatRequest[] = [];
	const server = createServer((request, response) => {
		handle(request, response, answer, requests).catch((error: unknown) => {
			// 400, because clients try a 5xx again and again.
			const message = error instanceof Error ? error.message : String(error);
			if (!response.headersSent) json(response, 400, { error: { message } });
			else response.destroy();
		});
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, LOOPBACK, resolve);
	});
	const { port: actual } = server.address() as AddressInfo;
	const stop = async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	};
	return { url: `http://${LOOPBACK}:${actual}/v1`, requests, stop };
}

async function handle(
	request: IncomingMessage,
	response: ServerResponse,
	answer: Answer,
	requests: ChatRequest[],
): Promise<void> {
	const path = (request.url ?? '').split('?')[0];
	if (request.method === 'GET' && path === '/v1/models') {
		json(response, 200, { object: 'list', data: [{ id: MODEL_NAME, object: 'model' }] });
		return;
	}
	if (request.method !== 'POST' || path !== '/v1/chat/completions') {
		json(response, 404, { error: { message: `No such endpoint here: ${request.method} ${path}` } });
		return;
	}
	const body = JSON.parse(await readBody(request)) as ChatRequest;
	requests.push(body);
	const turn = await answer(body);
	if (body.stream !== true) {
		json(response, 200, completion(body, turn));
		return;
	}
	response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
	for (const event of streamedCompletion(body, turn)) response.write(`data: ${event}\n\n`);
	response.end();
}

async function readBody(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of request as AsyncIterable<Buffer>) {
		size += chunk.length;
		if (size > MAX_BODY_BYTES) throw new Error('The request is too large');
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString('utf8');
}

function json(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { 'content-type': 'application/json' });
	response.end(JSON.stringify(body));
}
