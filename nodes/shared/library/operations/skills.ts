import { skillFileOf } from '../../../core/library/document';
import { LibraryError } from '../../../core/library/types';
import { validateSkillFile } from '../../../core/skill';
import { toItem, wholeItem } from '../items';
import { queryOf, skillRef } from '../parameters';
import { changesOf, newSkillOf } from '../skill-fields';
import type { LibraryCall, LibraryOperation } from '../types';

/** Puts a new skill into the library. */
export const createSkill: LibraryOperation = async (call) => [
	toItem(await call.library.create(newSkillOf(call))),
];

/** Changes what is given of a skill. */
export const updateSkill: LibraryOperation = async (call) => {
	const { context, itemIndex, library } = call;
	const ref = skillRef(context, itemIndex);
	return [toItem(await library.update(ref, changesOf(call), ifVersion(call)))];
};

/** Removes a skill, and gives back what it was. */
export const deleteSkill: LibraryOperation = async (call) => {
	const { context, itemIndex, library } = call;
	const removed = await library.remove(skillRef(context, itemIndex), ifVersion(call));
	return [toItem({ ...removed, deleted: true })];
};

/** Gives back a skill with its instructions. */
export const getSkill: LibraryOperation = async ({ context, itemIndex, library }) => {
	const include = context.getNodeParameter('includeFiles', itemIndex, 'list');
	const skill = await library.get(skillRef(context, itemIndex));
	return [wholeItem(skill, include as 'none' | 'list' | 'text')];
};

/** Gives back the skills that were searched for, one item each or all in one. */
export const getSkills: LibraryOperation = async ({ context, itemIndex, library }) => {
	const parameter = <T>(name: string, otherwise: T) =>
		context.getNodeParameter(name, itemIndex, otherwise) as T;
	const text = String(parameter<unknown>('search', '') ?? '').trim();
	const query = { ...queryOf(context, parameter('filters', {})), ...(text === '' ? {} : { text }) };
	if (parameter('returnAll', false)) return (await library.list(query)).skills.map(toItem);
	const { asPage = false, cursor = '' } = parameter<{ asPage?: boolean; cursor?: string }>(
		'options',
		{},
	);
	const limit = Number(parameter('limit', 0));
	if (!Number.isInteger(limit) || limit < 1) {
		throw new LibraryError('invalid', '"Limit" must be a whole number of at least 1.');
	}
	const page = await library.list({ ...query, limit, ...(cursor ? { cursor } : {}) });
	const next = page.cursor === undefined ? {} : { nextCursor: page.cursor };
	return asPage ? [toItem({ skills: page.skills, ...next })] : page.skills.map(toItem);
};

/** Gives back the text of a SKILL.md. */
export const generateSkillFile: LibraryOperation = async ({ context, itemIndex, library }) => {
	const skill = await library.text(skillRef(context, itemIndex));
	const { id, name, version } = skill;
	return [toItem({ id, name, version, skillMd: skillFileOf(skill) })];
};

/** Gives back all that the specification finds wrong with a SKILL.md. */
export const validateSkill: LibraryOperation = async ({ context, itemIndex, library }) => {
	const stored = context.getNodeParameter('validateWhat', itemIndex, 'text') === 'skill';
	const skill = stored ? await library.text(skillRef(context, itemIndex)) : undefined;
	const text = skill ? skillFileOf(skill) : context.getNodeParameter('skillMd', itemIndex, '');
	// In the library a skill is its own folder; of a text alone nobody knows the folder.
	const path = skill ? `/${skill.name}/SKILL.md` : '/SKILL.md';
	const found = validateSkillFile(Buffer.from(String(text)), path);
	const amount = (severity: string) => found.filter((one) => one.severity === severity).length;
	return [
		toItem({
			...(skill ? { id: skill.id, name: skill.name } : {}),
			isValid: amount('error') + amount('warning') === 0,
			errors: amount('error'),
			warnings: amount('warning'),
			findings: found.map(({ code, severity, message, position }) => ({
				code,
				severity,
				message,
				...position,
			})),
		}),
	];
};

function ifVersion({ context, itemIndex }: LibraryCall): number | undefined {
	const { ifVersion: wanted } = context.getNodeParameter('options', itemIndex, {}) as {
		ifVersion?: unknown;
	};
	if (wanted === undefined || wanted === null || wanted === '') return undefined;
	const version = Number(wanted);
	if (Number.isInteger(version) && version > 0) return version;
	throw new LibraryError('invalid', '"Only if Version Is" must be a whole number of at least 1.');
}
