import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';

import { sharedStateInput } from '../shared/memory-input';
import { skillsInput } from '../shared/skills-input';
import { executeTool } from '../shared/tool-run';
import { supplyToolkit } from '../shared/toolkit';
import { properties } from './description';

/** Gives an AI Agent the tools that load, read, search and unload skills. */
export class SkillLoaderTool implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Skill Loader Tool',
		name: 'skillLoader',
		icon: { light: 'file:skillLoader.svg', dark: 'file:skillLoader.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ "max " + $parameter["maxLoadedSkills"] + " skills" }}',
		description:
			'Lets an AI Agent load skills (SKILL.md instructions and files) when a task needs them',
		defaults: { name: 'Skill Loader Tool' },
		inputs: [skillsInput, sharedStateInput],
		outputs: [NodeConnectionTypes.AiTool],
		outputNames: ['Tool'],
		usableAsTool: undefined,
		properties,
	};

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		return await supplyToolkit(this, itemIndex);
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeTool(this);
	}
}
