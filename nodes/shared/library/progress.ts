import { PROGRESS_LOG_MS } from '../../core/limits';
import type { NodeContext } from '../context';

/** Gives back what notes in n8n's log, from time to time and at the end, how far a long run is. */
export function progressOf(
	context: Pick<NodeContext, 'getNode' | 'logger'>,
	done: string,
	now: () => number = Date.now,
): (done: number, total: number) => void {
	let last = now();
	return (amount, total) => {
		if (amount < total && now() - last < PROGRESS_LOG_MS) return;
		last = now();
		context.logger.info(`${context.getNode().name}: ${done} ${amount} of ${total} skills`);
	};
}
