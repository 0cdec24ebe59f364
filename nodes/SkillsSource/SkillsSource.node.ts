import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';

import {
	CATALOG_PROMPT_TYPE,
	LIBRARY_TYPE,
	LOADER_TYPE,
	SKILLS_SOURCE_TYPE,
} from '../shared/context';
import { testHttpCredential } from '../shared/credential-check';
import { baseSkillsInput } from '../shared/skills-input';
import { supplySkills } from '../shared/supply';
import { properties } from './description';
import { withHttpCredential } from './descriptions/authentication';

/** Offers the skills of a backend to the nodes above it, over those of the source underneath. */
export class SkillsSource implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Skills Source',
		name: 'skillsSource',
		icon: { light: 'file:skillsSource.svg', dark: 'file:skillsSource.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ { archive: "Archive", filesystem: "Folders on disk", github: "GitHub", library: "Skill Library", mcp: "MCP server", website: "Website", data: "Workflow data" }[$parameter["backend"]] }}',
		description:
			'Where skills are kept: folders with a SKILL.md each, or skills in the workflow itself',
		defaults: { name: 'Skills Source' },
		inputs: [baseSkillsInput],
		outputs: [
			{
				type: NodeConnectionTypes.AiDocument,
				displayName: 'Skills',
				filter: {
					nodes: [CATALOG_PROMPT_TYPE, LOADER_TYPE, SKILLS_SOURCE_TYPE, LIBRARY_TYPE],
				},
			},
		],
		outputNames: ['Skills'],
		credentials: [
			{
				name: 'agentSkillsGithubApi',
				required: true,
				displayOptions: { show: { backend: ['github'], githubAuthentication: ['token'] } },
			},
			{
				name: 'agentSkillsHttpApi',
				required: true,
				testedBy: 'testHttpCredential',
				displayOptions: withHttpCredential,
			},
			{
				name: 'agentSkillsPostgresApi',
				required: true,
				displayOptions: { show: { backend: ['library'], database: ['postgres'] } },
			},
		],
		usableAsTool: undefined,
		properties,
	};

	methods = { credentialTest: { testHttpCredential } };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		return await supplySkills(this, itemIndex);
	}
}
