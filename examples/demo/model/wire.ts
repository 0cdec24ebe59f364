import { randomUUID } from 'node:crypto';

const PIECE_CHARACTERS = 40;
const CHARACTERS_A_TOKEN = 4;

/** A chat request as the OpenAI client sends it. */
export interface ChatRequest {
	model: string;
	messages: Message[];
	tools?: Tool[];
	stream?: boolean;
	stream_options?: { include_usage?: boolean };
}

/** One message of a conversation. */
export interface Message {
	role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
	content?: string | Array<{ type: string; text?: string }> | null;
	tool_calls?: Array<{ id: string; function: { name: string; arguments: string } }>;
	tool_call_id?: string;
}

/** A tool as it is offered to the model. */
export interface Tool {
	type: 'function';
	function: { name: string; description?: string; parameters?: Record<string, unknown> };
}

/** What the model does next: say something, or call tools. */
export interface Turn {
	text?: string;
	calls?: ToolCall[];
}

/** A tool call; arguments that are a string are sent as they are, valid JSON or not. */
export interface ToolCall {
	name: string;
	args: Record<string, unknown> | string;
}

/** The plain text of a message. */
export function textOf(message: Message | undefined): string {
	const content = message?.content ?? '';
	if (typeof content === 'string') return content;
	return content.map((part) => part.text ?? '').join('');
}

/** The text of all system messages. */
export function systemText(request: ChatRequest): string {
	const system = request.messages.filter(({ role }) => role === 'system' || role === 'developer');
	return system.map(textOf).join('\n\n');
}

/** A tool's answer as plain text: Agent 3 hands it on as JSON, the older ones as it is. */
export function plainResult(result: string): string {
	try {
		return strings(JSON.parse(result)).join('\n');
	} catch {
		return result;
	}
}

/** The body of an answer that is not streamed. */
export function completion(request: ChatRequest, turn: Turn): object {
	const message = {
		role: 'assistant',
		content: turn.text ?? null,
		...(hasCalls(turn) ? { tool_calls: toolCalls(turn) } : {}),
	};
	const choice = { index: 0, message, finish_reason: finishReason(turn) };
	return { ...head(request, 'chat.completion'), choices: [choice], usage: usage(request, turn) };
}

/** The events of a streamed answer, the closing `[DONE]` included. */
export function streamedCompletion(request: ChatRequest, turn: Turn): string[] {
	const common = head(request, 'chat.completion.chunk');
	const chunk = (delta: object, finish: string | null = null) =>
		JSON.stringify({ ...common, choices: [{ index: 0, delta, finish_reason: finish }] });
	const events = [chunk({ role: 'assistant', content: '' })];
	for (const piece of pieces(turn.text ?? '')) events.push(chunk({ content: piece }));
	for (const [index, call] of toolCalls(turn).entries()) {
		events.push(chunk({ tool_calls: [{ index, ...call }] }));
	}
	events.push(chunk({}, finishReason(turn)));
	if (request.stream_options?.include_usage === true) {
		events.push(JSON.stringify({ ...common, choices: [], usage: usage(request, turn) }));
	}
	return [...events, '[DONE]'];
}

function head(request: ChatRequest, object: string): object {
	const created = Math.floor(Date.now() / 1000);
	return { id: `chatcmpl-${randomUUID()}`, object, created, model: request.model };
}

function strings(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}

function hasCalls(turn: Turn): boolean {
	return (turn.calls ?? []).length > 0;
}

function finishReason(turn: Turn): string {
	return hasCalls(turn) ? 'tool_calls' : 'stop';
}

function toolCalls(turn: Turn): object[] {
	return (turn.calls ?? []).map(({ name, args }) => ({
		id: `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
		type: 'function',
		function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
	}));
}

function pieces(text: string): string[] {
	const characters = [...text];
	const count = Math.ceil(characters.length / PIECE_CHARACTERS);
	return Array.from({ length: count }, (_, index) =>
		characters.slice(index * PIECE_CHARACTERS, (index + 1) * PIECE_CHARACTERS).join(''),
	);
}

function usage(request: ChatRequest, turn: Turn): object {
	const tokens = (value: unknown) =>
		Math.ceil((JSON.stringify(value) ?? '').length / CHARACTERS_A_TOKEN);
	const [prompt, answer] = [tokens(request.messages) + tokens(request.tools), tokens(turn)];
	return { prompt_tokens: prompt, completion_tokens: answer, total_tokens: prompt + answer };
}
