/** Gives back what does one work after the other, in the order of the calls. */
export function createTurns(): {
	next<T>(work: () => Promise<T>): Promise<T>;
	/** Resolves when nothing is left to do. */
	done(): Promise<void>;
} {
	let last: Promise<unknown> = Promise.resolve();
	return {
		next: async (work) => {
			const turn = last.then(work);
			last = turn.catch(() => undefined);
			return await turn;
		},
		done: async () => void (await last),
	};
}
