import { createDataBackend } from '../../core/backends';
import { labelOf } from '../../core/path';
import { filesFromData } from '../../core/records';
import type { NodeContext } from '../context';
import type { OpenSource } from './types';

/** Opens skills typed into the node, or items of other nodes. */
export const openData: OpenSource = async (context, itemIndex, options) => {
	const typed = context.getNodeParameter('dataFrom', itemIndex, 'form') === 'form';
	const { files, diagnostics } = filesFromData(
		typed ? typedSkills(context, itemIndex) : context.getNodeParameter('items', itemIndex, []),
	);
	const label = labelOf('/workflow', options.label);
	return { backend: createDataBackend(files), sources: [{ path: '/', label }], diagnostics };
};

interface TypedSkill {
	name?: string;
	description?: string;
	instructions?: string;
	files?: { file?: Array<{ path?: string; content?: string }> };
}

function typedSkills(context: NodeContext, itemIndex: number): unknown[] {
	const skills = context.getNodeParameter('skills.skill', itemIndex, []) as TypedSkill[];
	return skills.map(({ files, ...skill }) => ({ ...skill, files: files?.file ?? [] }));
}
