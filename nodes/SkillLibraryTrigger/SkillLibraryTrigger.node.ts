import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { testPostgres } from '../shared/library/connection';
import { POSTGRES_CREDENTIAL } from '../shared/library/database';
import { pollLibrary } from '../shared/library/poll';
import { properties } from './description';

/** Starts a workflow when a skill of the library was created, updated or deleted. */
export class SkillLibraryTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Skill Library Trigger',
		name: 'skillLibraryTrigger',
		icon: { light: 'file:skillLibraryTrigger.svg', dark: 'file:skillLibraryTrigger.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		// n8n shows this for node and trigger together, so it must say what both are about.
		description:
			'Keeps skills for AI Agents in a database; starts the workflow when one is created, updated or deleted',
		defaults: { name: 'Skill Library Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
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

	methods = { credentialTest: { testPostgres } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollLibrary(this);
	}
}
