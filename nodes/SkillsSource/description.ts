import type { INodeProperties } from 'n8n-workflow';

import { archive } from './descriptions/archive';
import { authentication } from './descriptions/authentication';
import { data } from './descriptions/data';
import { filesystem } from './descriptions/filesystem';
import { github } from './descriptions/github';
import { library } from './descriptions/library';
import { mcp } from './descriptions/mcp';
import { options } from './descriptions/options';
import { website } from './descriptions/website';

/** Where the skills are, first of all parameters. */
const backend: INodeProperties = {
	displayName: 'Skills From',
	name: 'backend',
	type: 'options',
	options: [
		{
			name: 'Archive',
			value: 'archive',
			description: 'A .skill, .zip or .tar.gz file: binary data of an item, or a web address',
		},
		{
			name: 'Folders on Disk',
			value: 'filesystem',
			description: 'Folders that this n8n can read; each skill is a folder with a SKILL.md',
		},
		{
			name: 'GitHub',
			value: 'github',
			description: 'Folders of a repository, public or private, also of GitHub Enterprise',
		},
		{
			name: 'MCP Server',
			value: 'mcp',
			description: 'Skills that an MCP server offers (skills extension, SEP-2640)',
		},
		{
			name: 'Skill Library',
			value: 'library',
			description: 'Skills in a database that the Skill Library node keeps, each user their own',
		},
		{
			name: 'Website',
			value: 'website',
			description: 'Skills that a site publishes for agents (/.well-known/agent-skills)',
		},
		{
			name: 'Workflow Data',
			value: 'data',
			description: 'Skills typed in here, or items of any node (Data Table, Postgres, Notion …)',
		},
	],
	default: 'filesystem',
	description: 'Where the skills are kept',
};

/** The parameters of Skills Source. */
export const properties: INodeProperties[] = [
	backend,
	...filesystem,
	...github,
	...archive,
	...mcp,
	...website,
	...library,
	authentication,
	...data,
	options,
];
