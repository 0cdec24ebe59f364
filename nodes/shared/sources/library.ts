import { createLibraryBackend } from '../../core/backends';
import { SkillError } from '../../core/errors';
import { LibraryError } from '../../core/library/types';
import { labelOf } from '../../core/path';
import { CATALOG_PROMPT_TYPE, LIBRARY_TYPE, type NodeContext } from '../context';
import { isFirstTime } from '../executions';
import { addHint } from '../hints';
import { isSharedByUsers, userOf } from '../library/actor';
import { databaseOf } from '../library/database';
import { nameList } from '../library/parameters';
import type { OpenSource } from './types';

/** Opens the skills of a library that a user may see. */
export const openLibrarySource: OpenSource = async (context, itemIndex, options) => {
	const list = (name: string) => nameList(context.getNodeParameter(name, itemIndex, ''));
	const user = userFor(context, itemIndex);
	const [tags, names] = [list('libraryTags'), list('libraryNames')];
	try {
		const database = await databaseOf(context, itemIndex);
		const backend = createLibraryBackend({ database, user, tags, names });
		return { backend, sources: [{ path: '/', label: labelOf('/library', options.label) }] };
	} catch (error) {
		if (!(error instanceof LibraryError)) throw error;
		throw new SkillError('source-unreadable', error.message, error.hint);
	}
};

// These ask for each of their items; an agent asks once, for the first.
const ASK_FOR_EACH_ITEM = [CATALOG_PROMPT_TYPE, LIBRARY_TYPE];

/** Gives back the user of the item; nobody when nobody knows which item is meant. */
function userFor(context: NodeContext, itemIndex: number): string | null {
	const { executeData } = context as unknown as { executeData?: { node?: { type: string } } };
	const isExact = ASK_FOR_EACH_ITEM.includes(executeData?.node?.type ?? '');
	if (isExact || !isSharedByUsers(context)) return userOf(context, itemIndex);
	if (isFirstTime(context, 'library:several-users')) {
		addHint(
			context,
			'The agent has several items, and nobody knows for whose user it asks: only public and system skills are offered. Put a Loop Over Items node before the agent.',
			'warning',
		);
	}
	return null;
}
