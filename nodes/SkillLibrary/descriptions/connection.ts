import type { INodeProperties } from 'n8n-workflow';

import { databaseProperty } from '../../shared/library/place';

/** Which library it is, first of all parameters. */
export const database: INodeProperties = databaseProperty;

/** Who asks, of all operations. */
export const identity: INodeProperties[] = [
	{
		displayName: 'User',
		name: 'user',
		type: 'string',
		default: '',
		placeholder: "e.g. {{ $('Chat').item.json.user }}",
		hint: 'Empty: nobody in particular, who sees public and system skills only',
		description:
			'Who asks: private skills are shown to their owner only, and new skills belong to this user. Read it from the trigger, as in the example, not with $JSON: what a model sends is merged into $JSON. A tool refuses $fromAI here.',
	},
	{
		displayName: 'Act as Administrator',
		name: 'actAsAdministrator',
		type: 'boolean',
		default: false,
		noDataExpression: true,
		description:
			"Whether this node may see and change everybody's skills, and write system skills (those without an owner)",
	},
];
