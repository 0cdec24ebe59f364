import { SHARED_STATE_SLOW_MS, SHARED_STATE_TIMEOUT_MS } from '../../nodes/core/limits';
import { newSharedPlace } from '../../nodes/core/shared-store';
import { openChatLog } from '../../nodes/shared/chat-log';
import type { NodeContext } from '../../nodes/shared/context';

/** A memory node whose history takes so long to clear, and what was done to it in which order. */
function slowToClear(ms: number) {
	const done: string[] = [];
	const chatHistory = {
		getMessages: async () => [{ content: 'a' }, { content: [] }],
		addUserMessage: async (text: string) => void done.push(text),
		clear: async () => {
			await new Promise((resolve) => setTimeout(resolve, ms));
			done.push('cleared');
		},
	};
	const context = { getInputConnectionData: async () => ({ chatHistory }) };
	const place = newSharedPlace();
	return { log: openChatLog(context as unknown as NodeContext, 0, place), place, done };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('what is late is not overtaken by what was asked for next', async () => {
	const { log, done } = slowToClear(SHARED_STATE_TIMEOUT_MS + 1000);
	const cleared = log.clear().catch(({ message }: Error) => message);
	const added = log.append('snapshot');
	await jest.advanceTimersByTimeAsync(SHARED_STATE_TIMEOUT_MS + 2000);
	expect(await cleared).toBe('no answer within 5 seconds');
	await added;
	expect(done).toEqual(['cleared', 'snapshot']);
});

it('adds up how long slow answers took, and no others', async () => {
	const slow = slowToClear(SHARED_STATE_SLOW_MS + 1);
	const quick = slowToClear(SHARED_STATE_SLOW_MS);
	const all = Promise.all([slow.log.clear(), quick.log.clear()]);
	await jest.advanceTimersByTimeAsync(SHARED_STATE_SLOW_MS + 1);
	await all;
	expect([slow.place.slowMs, quick.place.slowMs]).toEqual([SHARED_STATE_SLOW_MS + 1, 0]);
});

it('a message that is no text is read as an empty one', async () => {
	expect(await slowToClear(0).log.read()).toEqual(['a', '']);
});
