import { NodeConnectionTypes } from 'n8n-workflow';

import { SHARED_STATE_SLOW_MS, SHARED_STATE_TIMEOUT_MS } from '../core/limits';
import type { TextLog } from '../core/shared-log';
import type { SharedPlace } from '../core/shared-store';
import type { NodeContext } from './context';

/** What of a LangChain memory we use: its history, as a list of texts. */
interface ChatMemory {
	chatHistory: {
		getMessages(): Promise<Array<{ content?: unknown }>>;
		addUserMessage(text: string): Promise<void>;
		clear(): Promise<void>;
	};
}

/**
 * Gives back the memory node at "Shared State" as a log of texts. The node is asked for when the
 * log is first used: mostly it is not, and some open a connection each time. How long
 * slow answers took is added up in `place`.
 */
export function openChatLog(context: NodeContext, itemIndex: number, place: SharedPlace): TextLog {
	let opened: Promise<ChatMemory['chatHistory']> | undefined;
	let last: Promise<unknown> = Promise.resolve();
	const history = async () =>
		await (opened ??= context
			.getInputConnectionData(NodeConnectionTypes.AiMemory, itemIndex)
			.then((memory) => (memory as ChatMemory).chatHistory));
	// One after the other: Redis Chat Memory connects at first use and cannot do so twice. Nor must
	// what is late be overtaken: after a deletion that is late comes what stands for the deleted.
	let settled: Promise<unknown> = Promise.resolve();
	const inTurn = async <T>(use: (chat: ChatMemory['chatHistory']) => Promise<T>): Promise<T> => {
		const turn = last.then(async () => {
			const work = settled.then(async () => await timed(place, history().then(use)));
			settled = work.catch(() => undefined);
			return await within(work);
		});
		last = turn.catch(() => undefined);
		return await turn;
	};
	return {
		read: async () =>
			await inTurn(async (chat) =>
				(await chat.getMessages()).map(({ content }) => textOf(content)),
			),
		append: async (text) => await inTurn(async (chat) => await chat.addUserMessage(text)),
		clear: async () => await inTurn(async (chat) => await chat.clear()),
	};
}

function textOf(content: unknown): string {
	return typeof content === 'string' ? content : '';
}

/** Gives back a result, and notes how long it took if that was long. */
async function timed<T>(place: SharedPlace, result: Promise<T>): Promise<T> {
	const started = Date.now();
	try {
		return await result;
	} finally {
		const took = Date.now() - started;
		if (took > SHARED_STATE_SLOW_MS) place.slowMs += took;
	}
}

/** Gives back a result, or an error when it takes too long. */
async function within<T>(result: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		const seconds = SHARED_STATE_TIMEOUT_MS / 1000;
		const refuse = () => reject(new Error(`no answer within ${seconds} seconds`));
		// A busy worker may have the answer and not have looked at it yet: that comes first.
		timer = setTimeout(() => setImmediate(refuse), SHARED_STATE_TIMEOUT_MS);
	});
	try {
		return await Promise.race([result, late]);
	} finally {
		clearTimeout(timer);
	}
}
