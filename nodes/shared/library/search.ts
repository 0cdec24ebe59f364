import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { SKILLS_IN_CHOICE } from '../../core/limits';
import { toNodeError } from '../errors';
import { openForEditor } from './open';

/** Gives back the skills to choose from in the editor, as the user of the node sees them. */
export async function searchSkills(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	try {
		const library = await openForEditor(this);
		const text = (filter ?? '').trim();
		const { skills, cursor } = await library.list({
			limit: SKILLS_IN_CHOICE,
			...(text === '' ? {} : { text }),
			...(paginationToken ? { cursor: paginationToken } : {}),
		});
		const results = skills.map(({ id, name, ownerId, description }) => ({
			name: ownerId === null ? `${name} (system)` : `${name} (${ownerId})`,
			value: id,
			description,
		}));
		return { results, ...(cursor === undefined ? {} : { paginationToken: cursor }) };
	} catch (error) {
		throw toNodeError(this, error, 0);
	}
}
