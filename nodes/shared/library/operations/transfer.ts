import { homedir } from 'node:os';

import { createFilesystemBackend } from '../../../core/backends';
import { chooseByName, listAll } from '../../../core/library/choose';
import { exportSkills, readSkills } from '../../../core/library/export';
import { importSkills } from '../../../core/library/import';
import { LibraryError, type LibrarySkill, type SkillRef } from '../../../core/library/types';
import { labelOf } from '../../../core/path';
import { createSkillSet } from '../../../core/skillset';
import type { SkillSet } from '../../../core/types';
import { expandPath, fileAccess } from '../../access';
import { binaryFiles } from '../../binary';
import { requiredSkills } from '../../skills-input';
import { archivesOf } from '../../sources/archive';
import { toItem } from '../items';
import { isTool } from '../model';
import { asText, queryOf, skillRef } from '../parameters';
import { progressOf } from '../progress';
import type { LibraryCall, LibraryOperation } from '../types';

/** Brings skills into the library and gives back what became of each. */
export const importAll: LibraryOperation = async (call) => {
	const { context, itemIndex, library, actor } = call;
	const visibility = context.getNodeParameter('importVisibility', itemIndex, 'keep');
	const results = await importSkills(library, await sourceOf(call), {
		ownerId: visibility === 'system' ? null : actor.user,
		...(visibility === 'public' ? { isPublic: true } : {}),
		onProgress: progressOf(context, 'imported'),
	});
	return results.map(({ skill, ...result }) => {
		const known = skill ? { id: skill.id, version: skill.version } : {};
		return toItem({ ...result, ...known });
	});
};

async function sourceOf(call: LibraryCall): Promise<SkillSet> {
	const { context, itemIndex } = call;
	const from = context.getNodeParameter('importFrom', itemIndex, 'folder');
	if (from === 'archive') {
		const field: unknown = context.getNodeParameter('binaryField', itemIndex, 'data');
		return createSkillSet(archivesOf(await binaryFiles(context, itemIndex, field)));
	}
	if (from === 'folder') return folderOf(call);
	if (!isTool(context)) return await requiredSkills(context, itemIndex);
	throw new LibraryError(
		'invalid',
		'A tool of an agent has no input for a Skills Source.',
		'Import from a folder or an archive, or do it in a Skill Library node that is no tool.',
	);
}

function folderOf({ context, itemIndex }: LibraryCall): SkillSet {
	const folder = asText(context.getNodeParameter('folder', itemIndex, ''));
	if (folder === '') {
		throw new LibraryError('invalid', 'No folder is named.', 'Name one at "Folder".');
	}
	const path = expandPath(folder, homedir());
	const access = fileAccess(context);
	const backend = createFilesystemBackend({ root: '', sources: [path], access });
	return createSkillSet({ backend, sources: [{ path, label: labelOf(path) }] });
}

/** Packs skills into a file, and gives it back as binary data. */
export const exportAll: LibraryOperation = async (call) => {
	const { context, itemIndex, library } = call;
	const one = context.getNodeParameter('exportWhat', itemIndex, 'one') === 'one';
	const { refs, shadowed } = one
		? { refs: [skillRef(context, itemIndex)], shadowed: [] }
		: await allRefs(call);
	if (refs.length === 0) {
		throw new LibraryError('not-found', 'There is no skill to export.', 'Check "Filters".');
	}
	const skills = await readSkills(library, refs);
	const archive = Buffer.from(await exportSkills(skills));
	const fileName = one ? `${skills[0].name}.skill` : 'skills.zip';
	const binary = await context.helpers.prepareBinaryData(archive, fileName, 'application/zip');
	const field = asText(context.getNodeParameter('outputField', itemIndex, 'data')) || 'data';
	const names = skills.map(({ name }) => name);
	const more = shadowed.length > 0 ? { shadowed } : {};
	const item = toItem({ fileName, bytes: archive.byteLength, skills: names, ...more });
	return [{ ...item, binary: { [field]: binary } }];
};

/** Gives back one skill of each name, as a sync does, and those of the same name that it leaves out. */
async function allRefs({ context, itemIndex, library, actor }: LibraryCall): Promise<{
	refs: SkillRef[];
	shadowed: Array<Pick<LibrarySkill, 'id' | 'name' | 'ownerId'>>;
}> {
	const query = queryOf(context, context.getNodeParameter('filters', itemIndex, {}));
	const { skills, hidden } = chooseByName((await listAll(library, query)).skills, actor.user);
	return {
		refs: skills.map(({ id }) => ({ id })),
		shadowed: hidden.map(({ skill: { id, name, ownerId } }) => ({ id, name, ownerId })),
	};
}
