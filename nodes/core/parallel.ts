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
