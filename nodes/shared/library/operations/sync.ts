import { homedir } from 'node:os';

import { syncSkills } from '../../../core/library/sync';
import { LibraryError, type SkillRef } from '../../../core/library/types';
import { expandPath, fileAccess } from '../../access';
import type { NodeContext } from '../../context';
import { databaseOf } from '../database';
import { toItem } from '../items';
import { asText, nameList, queryOf } from '../parameters';
import { progressOf } from '../progress';
import type { LibraryOperation } from '../types';

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** Writes skills as folders, and gives back what became of each. */
export const syncToFolder: LibraryOperation = async ({ context, itemIndex, actor, library }) => {
	const parameter = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
	const folder = asText(parameter('folder'));
	if (folder === '') {
		throw new LibraryError('invalid', 'No folder is named.', 'Name one at "Folder".');
	}
	const { clean = false } = (parameter('options') || {}) as { clean?: boolean };
	const skills = chosenSkills(context, parameter('syncSkills'));
	const statuses = await syncSkills(library, {
		folder: expandPath(folder, homedir()),
		access: fileAccess(context),
		...actor,
		database: await (await databaseOf(context, itemIndex)).libraryId(),
		// One node may sync for many users: what it wrote for one is not removed for another.
		key: JSON.stringify([context.getWorkflow().id, context.getNode().id, actor.user]),
		clean,
		...(skills ? { skills } : { query: queryOf(context, parameter('filters')) }),
		onProgress: progressOf(context, 'synced'),
	});
	return statuses.map(toItem);
};

/** Gives back which skills are named; undefined: the field is empty, so all are meant. */
function chosenSkills(context: NodeContext, value: unknown): SkillRef[] | undefined {
	const names = nameList(value);
	if (names.length > 0) return names.map(refOf);
	const { syncSkills: written } = context.getNode().parameters;
	if (typeof written !== 'string' || !written.startsWith('=')) return undefined;
	// Nothing is chosen: what was synced before is taken back.
	if (Array.isArray(value) && value.length === 0) return [];
	// More skills than were meant might come into the hands of a sandbox.
	throw new LibraryError(
		'invalid',
		'The expression at "Skills to Sync" gives no skill.',
		'Let it give names or IDs, or an empty list for none. To sync all, leave the field empty.',
	);
}

// A name may look like an id only by intent; ids are what other nodes hand over.
function refOf(nameOrId: string): SkillRef {
	return UUID.test(nameOrId) ? { id: nameOrId } : { name: nameOrId };
}
