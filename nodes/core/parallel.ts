import { MAX_PARALLEL_READS } from './limits';

/** Gives back the results in order, with only a few tasks under way at once. */
export async function mapParallel<T, R>(
	values: T[],
	task: (value: T) => Promise<R>,
	limit = MAX_PARALLEL_READS,
): Promise<R[]> {
	const results = new Array<R>(values.length);
	let next = 0;
	const worker = async () => {
		while (next < values.length) {
			const index = next++;
			results[index] = await task(values[index]);
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, values.length) }, worker));
	return results;
}

/** Gives back a function that runs tasks, with only a few under way at once. */
export function createGate(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
	let free = limit;
	const waiting: Array<() => void> = [];
	return async (task) => {
		if (free > 0) free--;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			return await task();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else free++;
		}
	};
}
