import { startModelServer } from './server';
import type { ModelServer } from './server';
import type { ChatRequest, Turn } from './wire';

/** Turns to be given one a request, or a function that gives the turn for a request. */
export type Script = Turn[] | ((request: ChatRequest) => Turn | Promise<Turn>);

/** A model that does what a test says, and keeps what it was sent. */
export interface ScriptedModel extends ModelServer {
	/** Sets what comes next and forgets the requests so far. */
	script(next: Script): void;
	/** How many scripted turns were not asked for. */
	left(): number;
}

/** Starts a model that follows the script; a request beyond its end gets an error. */
export async function createScriptedModel(first: Script = []): Promise<ScriptedModel> {
	let current: Script = first;
	const server = await startModelServer(async (request) => {
		if (typeof current === 'function') return await current(request);
		const turn = current.shift();
		if (turn === undefined) throw new Error('The script of the test model has no further turn');
		return turn;
	});
	return {
		...server,
		script(next) {
			current = Array.isArray(next) ? [...next] : next;
			server.requests.length = 0;
		},
		left: () => (Array.isArray(current) ? current.length : 0),
	};
}
