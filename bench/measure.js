/** Rounds before anything counts, so that all candidates are compiled code when it does. */
const WARM_UP = 2;
const MIN_ROUNDS = 3;
/** On a slow machine there are fewer rounds rather than an endless wait. */
const MAX_MS = 30_000;

/**
 * Runs the candidates in turns, so that a slow moment of the machine hits all. Gives back their median
 * milliseconds, and `ratio(a, b)`: the median, over the rounds, of the one's time over the other's.
 */
async function interleaved(candidates, rounds, { collect = false, warmUp = WARM_UP } = {}) {
	const times = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]));
	const end = performance.now() + MAX_MS;
	for (let round = -warmUp; round < rounds; round++) {
		if (round >= MIN_ROUNDS && performance.now() > end) break;
		for (const [name, { before, run }] of Object.entries(candidates)) {
			await before?.();
			// Of what the candidate before left behind, this one must not pay the collection.
			if (collect) globalThis.gc();
			const start = performance.now();
			await run();
			if (round >= 0) times[name].push(performance.now() - start);
		}
	}
	return {
		medians: Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)])),
		ratio: (a, b) => median(times[a].map((time, round) => time / times[b][round])),
	};
}

/** Gives back the middle one of some numbers. */
function median(list) {
	const sorted = [...list].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

module.exports = { interleaved, median };
