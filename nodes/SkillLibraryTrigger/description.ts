import type { INodeProperties } from 'n8n-workflow';

import { skillFilters } from '../shared/library/filters';
import { databaseProperty } from '../shared/library/place';

/** The parameters of Skill Library Trigger. */
export const properties: INodeProperties[] = [
	databaseProperty,
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: [
			{
				name: 'Skill Created',
				value: 'created',
				description: 'Or came among those that the user sees and the filters let through',
			},
			{
				name: 'Skill Deleted',
				value: 'deleted',
				description: 'Or left those that the user sees and the filters let through',
			},
			{
				name: 'Skill Updated',
				value: 'updated',
				description: 'Its text, its fields or one of its files changed',
			},
		],
		default: ['created', 'updated', 'deleted'],
		required: true,
		description: 'Which changes start the workflow; each does so once',
	},
	{
		displayName: 'User',
		name: 'user',
		type: 'string',
		default: '',
		placeholder: 'e.g. anna@example.com',
		hint: 'Empty: public and system skills only',
		description: "Whose view of the library is watched: this user's skills and the public ones",
	},
	{
		displayName: "Watch Everybody's Skills",
		name: 'actAsAdministrator',
		type: 'boolean',
		default: false,
		noDataExpression: true,
		description: 'Whether to watch the private skills of all users too, as an administrator',
	},
	skillFilters(undefined, ['changedSince']),
];
