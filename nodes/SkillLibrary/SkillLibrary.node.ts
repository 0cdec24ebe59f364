import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { testPostgres } from '../shared/library/connection';
import { POSTGRES_CREDENTIAL } from '../shared/library/database';
import { libraryInputs } from '../shared/library/inputs';
import { runLibrary } from '../shared/library/run';
import { searchSkills } from '../shared/library/search';
import { properties } from './description';

/** Keeps the skills of a team in a database: with owners, versions, search and files. */
export class SkillLibrary implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Skill Library',
		name: 'skillLibrary',
		icon: { light: 'file:skillLibrary.svg', dark: 'file:skillLibrary.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ $parameter["operation"] + ": " + ({ transfer: "skills", sync: "skills" }[$parameter["resource"]] ?? $parameter["resource"]) }}',
		description:
			'Keeps skills for AI Agents in a database: create, search, change, share, import and export them',
		defaults: { name: 'Skill Library' },
		inputs: libraryInputs,
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [
			{
				name: POSTGRES_CREDENTIAL,
				required: true,
				testedBy: 'testPostgres',
				displayOptions: { show: { database: ['postgres'] } },
			},
		],
		properties,
	};

	methods = { listSearch: { searchSkills }, credentialTest: { testPostgres } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runLibrary(this);
	}
}
