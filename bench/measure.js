/** Runs the candidates in turns, so that a slow moment of the machine hits all, and takes medians. */
async function interleaved(candidates, rounds) {
	const times = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]));
	for (let round = 0; round < rounds; round++) {
		for (const [name, { before, run }] of Object.entries(candidates)) {
			await before?.();
			// Of what the candidate before left behind, this one must not pay the collection.
			globalThis.gc?.();
			const start = performance.now();
			await run();
			times[name].push(performance.now() - start);
		}
	}
	return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

/** Gives back the middle one of some numbers. */
function median(list) {
	const sorted = [...list].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

module.exports = { interleaved, median };
