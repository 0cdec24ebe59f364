import type { INodeProperties } from 'n8n-workflow';

import { skillFilters } from '../../shared/library/filters';
import { skillReference } from './reference';
import { showFor } from './show';

const show = (operations: string[]) => showFor('format', operations);

/** The parameters of "Format". */
export const format: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['format'] } },
		options: [
			{
				name: 'As Folder Tree',
				value: 'tree',
				description: 'The files of a skill as a tree',
				action: 'Format a skill as a folder tree',
			},
			{
				name: 'As Full Text',
				value: 'content',
				description: 'A whole skill as readable text, with or without its files',
				action: 'Format a skill as full text',
			},
			{
				name: 'As Markdown List',
				value: 'list',
				description: 'Many skills as a Markdown list, for a chat reply or a log',
				action: 'Format skills as a markdown list',
			},
		],
		default: 'list',
	},
	skillReference(show(['content', 'tree'])),
	{
		displayName: 'Include Files',
		name: 'withFiles',
		type: 'boolean',
		default: true,
		displayOptions: show(['content']),
		description: 'Whether to show what is in the text files too',
	},
	skillFilters(show(['list'])),
];
