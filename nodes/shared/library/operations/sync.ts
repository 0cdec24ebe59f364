import { homedir } from 'node:os';

import { syncSkills } from '../../../core/library/sync';
import { LibraryError, type SkillRef } from '../../../core/library/types';
import { expandPath, fileAccess } from '../../access';
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
	const chosen = nameList(parameter('syncSkills'));
	const statuses = await syncSkills(library, {
		folder: expandPath(folder, homedir()),
		access: fileAccess(context),
		user: actor.user,
		// One node may sync for many users: what it wrote for one is not removed for another.
		key: JSON.stringify([context.getWorkflow().id, context.getNode().id, actor.user]),
		clean,
		...(chosen.length > 0
			? { skills: chosen.map(refOf) }
			: { query: queryOf(context, parameter('filters')) }),
		onProgress: progressOf(context, 'synced'),
	});
	return statuses.map(toItem);
};

// A name may look like an id only by intent; ids are what other nodes hand over.
function refOf(nameOrId: string): SkillRef {
	return UUID.test(nameOrId) ? { id: nameOrId } : { name: nameOrId };
}
