import type { INodeProperties } from 'n8n-workflow';

import { skillFilters } from '../../shared/library/filters';
import { skillReference } from './reference';
import { showFor } from './show';

const show = (operations: string[], more = {}) => showFor('transfer', operations, more);

const importing: INodeProperties[] = [
	{
		displayName: 'Import From',
		name: 'importFrom',
		type: 'options',
		displayOptions: show(['import']),
		options: [
			{
				name: 'Archive',
				value: 'archive',
				description: 'A .skill, .zip or .tar.gz file that came with the item',
			},
			{
				name: 'Connected Skills Source',
				value: 'source',
				description: 'Whatever a Skills Source finds: GitHub, a website, an MCP server …',
				displayOptions: { hide: { '@tool': [true] } },
			},
			{
				name: 'Folder',
				value: 'folder',
				description: 'A folder that this n8n can read; each skill is a folder with a SKILL.md',
			},
		],
		default: 'folder',
		description: 'Where the skills come from',
	},
	{
		displayName: 'Folder',
		name: 'folder',
		type: 'string',
		default: '~/.n8n-files/skills',
		required: true,
		placeholder: 'e.g. ~/.n8n-files/skills',
		displayOptions: show(['import'], { importFrom: ['folder'] }),
		description:
			'A folder of skills, or a single skill. n8n lets nodes read only ~/.n8n-files unless an administrator allows more.',
	},
	{
		displayName: 'Input Binary Field',
		name: 'binaryField',
		type: 'string',
		default: 'data',
		required: true,
		displayOptions: show(['import'], { importFrom: ['archive'] }),
		hint: 'The name of the input binary field containing the archive',
	},
	{
		displayName: 'Visibility',
		name: 'importVisibility',
		type: 'options',
		displayOptions: show(['import']),
		options: [
			{
				name: 'Private, or as It Is',
				value: 'keep',
				description: 'New skills are private; those that are there already stay as they are',
			},
			{ name: 'Public', value: 'public', description: 'Everybody sees them' },
			{
				name: 'System',
				value: 'system',
				description: 'Everybody sees them, nobody owns them; needs Act as Administrator',
			},
		],
		default: 'keep',
		description: 'Who sees the imported skills',
	},
	{
		displayName:
			'Each output item tells of one skill: created, updated, unchanged, or refused and why. A skill that is refused does not stop the others.',
		name: 'importNotice',
		type: 'notice',
		default: '',
		displayOptions: show(['import']),
	},
];

const exporting: INodeProperties[] = [
	{
		displayName: 'Export',
		name: 'exportWhat',
		type: 'options',
		displayOptions: show(['export']),
		options: [
			{ name: 'Many Skills (ZIP File)', value: 'many' },
			{ name: 'One Skill (.skill File)', value: 'one' },
		],
		default: 'one',
		description: 'What the archive holds',
	},
	skillReference(show(['export'], { exportWhat: ['one'] })),
	skillFilters(show(['export'], { exportWhat: ['many'] })),
	{
		displayName: 'Put Output File in Field',
		name: 'outputField',
		type: 'string',
		default: 'data',
		displayOptions: show(['export']),
		hint: 'The name of the output binary field to put the file in',
	},
];

/** The parameters of "Import / Export". */
export const transfer: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['transfer'] } },
		options: [
			{
				name: 'Export',
				value: 'export',
				description: 'Pack skills into a .skill or .zip file',
				action: 'Export skills',
			},
			{
				name: 'Import',
				value: 'import',
				description: 'Bring skills into the library; those that did not change are left alone',
				action: 'Import skills',
			},
		],
		default: 'import',
	},
	...importing,
	...exporting,
];
