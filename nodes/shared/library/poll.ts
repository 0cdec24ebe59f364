import { NodeOperationError, type INodeExecutionData, type IPollFunctions } from 'n8n-workflow';

import { LIBRARY_CHANGES_PER_READ } from '../../core/limits';
import type { LibraryChange, SkillQuery } from '../../core/library/types';
import { toNodeError } from '../errors';
import { toItem } from './items';
import { openForPoll } from './open';
import { queryOf } from './parameters';
import { positionOf } from './position';

type Opened = Awaited<ReturnType<typeof openForPoll>>;

/** Gives back the changes since the last poll, each once; null when there are none. */
export async function pollLibrary(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	try {
		const opened = await openForPoll(context);
		const query = queryOf(context, context.getNodeParameter('filters', {}));
		if (context.getMode() === 'manual') return [[toItem(await sample(context, opened, query))]];
		const changes = await changesSince(context, opened, query);
		const wanted = changes.filter(isWanted(context));
		return wanted.length > 0 ? [wanted.map(toItem)] : null;
	} catch (error) {
		throw toNodeError(context, error, 0);
	}
}

async function changesSince(
	context: IPollFunctions,
	{ database, library }: Opened,
	query: SkillQuery,
): Promise<LibraryChange[]> {
	const { from, moveTo } = await positionOf(context, database, library);
	if (from === null) {
		// What was there before the trigger was switched on is no news.
		await moveTo(await library.stamp());
		return [];
	}
	const { changes, last, isIncomplete } = await library.changes(from, query);
	if (!(await moveTo(last))) return [];
	if (isIncomplete) {
		context.logger.warn(
			`${context.getNode().name}: the library changed more often since the last poll than its log holds. What was created and updated is reported, each skill as it is now; what was deleted before the log begins is not.`,
		);
	}
	return changes;
}

/** Gives back a change to try the workflow with; what the trigger has told stays as it is. */
async function sample(
	context: IPollFunctions,
	{ library }: Opened,
	query: SkillQuery,
): Promise<LibraryChange> {
	const stamp = await library.stamp();
	const recent = Math.max(0, stamp - LIBRARY_CHANGES_PER_READ);
	const { changes } = await library.changes(recent, query, LIBRARY_CHANGES_PER_READ);
	const last = changes.filter(isWanted(context)).at(-1);
	if (last) return last;
	const { skills } = await library.list({ ...query, limit: 1 });
	const [skill] = skills;
	if (skill) return { sequence: stamp, event: 'updated', at: skill.updatedAt, skill };
	throw new NodeOperationError(context.getNode(), 'There is no skill to show yet', {
		description:
			'The library holds none that this user may see and the filters let through. Create one with the Skill Library node, then try again.',
	});
}

function isWanted(context: IPollFunctions): (change: LibraryChange) => boolean {
	const events = context.getNodeParameter('events', []) as string[];
	return ({ event }) => events.includes(event);
}
