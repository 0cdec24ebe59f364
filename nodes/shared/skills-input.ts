import {
	NodeConnectionTypes,
	NodeOperationError,
	type INodeInputConfiguration,
} from 'n8n-workflow';

import type { SkillSet } from '../core/types';
import { SKILLS_SOURCE_TYPE, type NodeContext } from './context';

/** The input that takes a Skills Source, and offers nothing else in the editor. */
export const skillsInput: INodeInputConfiguration = {
	displayName: 'Skills',
	type: NodeConnectionTypes.AiDocument,
	required: true,
	maxConnections: 1,
	filter: { nodes: [SKILLS_SOURCE_TYPE] },
};

/** The same for what lies underneath a Skills Source. */
export const baseSkillsInput: INodeInputConfiguration = {
	...skillsInput,
	displayName: 'Base Skills',
	required: false,
};

/** Gives back the connected skills, or nothing where the input is free. */
export async function connectedSkills(
	context: NodeContext,
	itemIndex: number,
): Promise<SkillSet | undefined> {
	const data: unknown = await context.getInputConnectionData(
		NodeConnectionTypes.AiDocument,
		itemIndex,
	);
	if (data === undefined || data === null) return undefined;
	if (isSkillSet(data)) return data;
	throw new NodeOperationError(
		context.getNode(),
		'What is connected to "Skills" is not a Skills Source',
		{
			itemIndex,
			description: 'Remove it and connect a Skills Source node instead.',
		},
	);
}

/** Gives back the connected skills; without any the node cannot work. */
export async function requiredSkills(context: NodeContext, itemIndex: number): Promise<SkillSet> {
	const skills = await connectedSkills(context, itemIndex);
	if (skills) return skills;
	throw new NodeOperationError(context.getNode(), 'No Skills Source is connected', {
		itemIndex,
		description: 'Click the "+" under "Skills" and add a Skills Source node.',
	});
}

// By shape, not by class: two versions of the package may meet in one workflow.
function isSkillSet(value: unknown): value is SkillSet {
	const methods = ['refresh', 'load', 'resources', 'readFiles'] as const;
	return (
		typeof value === 'object' &&
		value !== null &&
		methods.every((method) => typeof (value as Partial<SkillSet>)[method] === 'function')
	);
}
