import type { INodeProperties } from 'n8n-workflow';

import { data } from './descriptions/data';
import { filesystem } from './descriptions/filesystem';
import { options } from './descriptions/options';

/** Where the skills are, first of all parameters. */
const backend: INodeProperties = {
	displayName: 'Skills From',
	name: 'backend',
	type: 'options',
	options: [
		{
			name: 'Folders on Disk',
			value: 'filesystem',
			description: 'Folders that this n8n can read; each skill is a folder with a SKILL.md',
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
export const properties: INodeProperties[] = [backend, ...filesystem, ...data, options];
