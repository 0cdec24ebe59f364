import type { INodeProperties } from 'n8n-workflow';

import { skillFilters } from '../../shared/library/filters';
import { showFor } from './show';

const show = showFor('sync', ['toFolder']);

/** The parameters of "Sync". */
export const sync: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['sync'] } },
		options: [
			{
				name: 'To Folder',
				value: 'toFolder',
				description: 'Write skills as folders with a SKILL.md, for a sandbox or another agent',
				action: 'Sync skills to a folder',
			},
		],
		default: 'toFolder',
	},
	{
		displayName: 'Folder',
		name: 'folder',
		type: 'string',
		default: '~/.n8n-files/skills',
		required: true,
		placeholder: 'e.g. ~/.n8n-files/skills',
		displayOptions: show,
		description:
			'Each skill is written to a folder of its name in here. Nothing is ever removed that a sync did not write itself.',
	},
	{
		displayName: 'Skills to Sync',
		name: 'syncSkills',
		type: 'string',
		default: '',
		placeholder: 'e.g. invoice-check, customer-reply',
		displayOptions: show,
		description:
			'Names or IDs of skills, parted by commas, or a list from an expression. Empty takes all that the user may see and the filters let through.',
	},
	skillFilters(show, ['names']),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		displayOptions: show,
		options: [
			{
				displayName: 'Clean',
				name: 'clean',
				type: 'boolean',
				default: false,
				description:
					'Whether to write all skills again, also those that did not change since the last sync',
			},
		],
	},
];
