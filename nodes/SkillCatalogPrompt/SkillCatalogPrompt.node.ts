import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { addCatalogs } from '../shared/catalog';
import { sharedStateInput } from '../shared/memory-input';
import { skillsInput } from '../shared/skills-input';
import { properties } from './description';

/** Adds the list of skills, as a section for the agent's system message, to every item. */
export class SkillCatalogPrompt implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Skill Catalog Prompt',
		name: 'skillCatalogPrompt',
		icon: { light: 'file:skillCatalogPrompt.svg', dark: 'file:skillCatalogPrompt.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ { markdown: "Markdown", xml: "XML", compact: "Compact", custom: "Own template" }[$parameter["format"]] }}',
		description: 'Writes the list of available skills for the system message of an AI Agent',
		defaults: { name: 'Skill Catalog Prompt' },
		inputs: [NodeConnectionTypes.Main, skillsInput, sharedStateInput],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: undefined,
		properties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await addCatalogs(this);
	}
}
