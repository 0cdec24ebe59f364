import { formatList, formatSkill, formatTree } from '../../../core/library/format';
import { toItem } from '../items';
import { queryOf, skillRef } from '../parameters';
import type { LibraryOperation } from '../types';

/** Gives back a whole skill as readable text. */
export const formatContent: LibraryOperation = async ({ context, itemIndex, library }) => {
	const skill = await library.get(skillRef(context, itemIndex));
	const files = context.getNodeParameter('withFiles', itemIndex, true) as boolean;
	return [toItem({ id: skill.id, name: skill.name, text: formatSkill(skill, { files }) })];
};

/** Gives back many skills as a Markdown list. */
export const formatSkills: LibraryOperation = async ({ context, itemIndex, library }) => {
	const query = queryOf(context, context.getNodeParameter('filters', itemIndex, {}));
	const { skills } = await library.list(query);
	return [toItem({ skills: skills.length, text: formatList(skills) })];
};

/** Gives back the folder of a skill as a tree. */
export const formatFolder: LibraryOperation = async ({ context, itemIndex, library }) => {
	const { id, name } = await library.find(skillRef(context, itemIndex));
	const text = formatTree({ name, files: await library.files({ id }) });
	return [toItem({ id, name, text })];
};
