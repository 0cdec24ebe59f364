import type { IPollFunctions } from 'n8n-workflow';

import { POSITION_TOUCH_MS } from '../../core/limits';
import type { Library, LibraryDatabase } from '../../core/library/types';

/** Up to where earlier versions of the trigger had told, in the static data of its node. */
interface Told {
	library: string;
	sequence: number;
}

/** Where a trigger stands in a library. */
export interface Position {
	/** Null: it starts now. */
	from: number | null;
	/** Notes how far it has got; false: another poll of the same trigger was faster. */
	moveTo(sequence: number): Promise<boolean>;
}

/**
 * Gives back where a trigger stands. The library itself keeps it: a workflow's static data is
 * overwritten by other runs of the workflow, with what they read when they began.
 */
export async function positionOf(
	context: IPollFunctions,
	database: LibraryDatabase,
	library: Library,
): Promise<Position> {
	const { positions } = database;
	// Several n8n may share a library, and hold the same workflow.
	const reader = JSON.stringify([
		context.getInstanceId(),
		context.getWorkflow().id,
		context.getNode().id,
	]);
	const known = await positions.of(reader);
	if (known === null) {
		const from = await toldBefore(context, database, library);
		return { from, moveTo: async (to) => await positions.move(reader, null, to) };
	}
	const { sequence: from, polledAt } = known;
	const isFresh = Date.now() - Date.parse(polledAt) < POSITION_TOUCH_MS;
	return {
		from,
		moveTo: async (to) => (to === from && isFresh) || (await positions.move(reader, from, to)),
	};
}

/** Gives back where an earlier version of the trigger stood, once. */
async function toldBefore(
	context: IPollFunctions,
	{ id }: LibraryDatabase,
	library: Library,
): Promise<number | null> {
	const data = context.getWorkflowStaticData('node') as Partial<Told>;
	const { library: place, sequence } = data as Told;
	if (place === undefined) return null;
	for (const key of Object.keys(data)) delete data[key as keyof Told];
	return place === id && sequence <= (await library.stamp()) ? sequence : null;
}
