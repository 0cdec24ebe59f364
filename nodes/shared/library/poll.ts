import { NodeOperationError, type INodeExecutionData, type IPollFunctions } from 'n8n-workflow';

import { LIBRARY_CHANGES_PER_READ } from '../../core/limits';
import type { ChangePage, Library, LibraryChange, SkillQuery } from '../../core/library/types';
import { toNodeError } from '../errors';
import { toItem } from './items';
import { openForPoll } from './open';
import { queryOf } from './parameters';

/** Up to where the trigger has told, as it stands in the static data of its own node. */
interface Told {
	/** The library that it is about: another one counts anew. */
	library: string;
	sequence: number;
	/** ISO 8601: for the case that the log of changes does not go back so far. */
	at: string;
}

type Opened = Awaited<ReturnType<typeof openForPoll>>;

/** Gives back the changes since the last poll, each once; null when there are none. */
export async function pollLibrary(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	try {
		const opened = await openForPoll(context);
		const query = queryOf(context.getNodeParameter('filters', {}));
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
	{ id, library }: Opened,
	query: SkillQuery,
): Promise<LibraryChange[]> {
	const data = context.getWorkflowStaticData('node') as Partial<Told>;
	const told = data as Told;
	const now = new Date().toISOString();
	const stamp = await library.stamp();
	if (data.library !== id || !(told.sequence <= stamp)) {
		// What was there before the trigger was switched on is no news; neither is another library.
		Object.assign(data, { library: id, sequence: stamp, at: now } satisfies Told);
		return [];
	}
	const page = await library.changes(told.sequence, query, LIBRARY_CHANGES_PER_READ);
	const changes = page.isIncomplete
		? await fromSkills(context, library, query, told, page)
		: page.changes;
	Object.assign(data, { sequence: page.last, at: now } satisfies Partial<Told>);
	return changes;
}

/** The log was cut behind us: the skills themselves tell what changed, but not what was deleted. */
async function fromSkills(
	context: IPollFunctions,
	library: Library,
	query: SkillQuery,
	{ sequence, at }: Told,
	page: ChangePage,
): Promise<LibraryChange[]> {
	context.logger.warn(
		`${context.getNode().name}: the library changed more often since ${at} than its log holds. What was created and updated is reported; deleted skills from before the log are not.`,
	);
	const { skills } = await library.list({ ...query, changedSince: at });
	const logged = new Set(page.changes.map(({ skill }) => skill.id));
	const earlier = skills
		.filter(({ id }) => !logged.has(id))
		.map((skill): LibraryChange => {
			const event = skill.createdAt >= at ? 'created' : 'updated';
			return { sequence, event, at: skill.updatedAt, skill };
		});
	return [...earlier, ...page.changes];
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
