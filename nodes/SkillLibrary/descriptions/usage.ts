import type { INodeProperties } from 'n8n-workflow';

import { skillReference } from './reference';
import { showFor } from './show';

const show = showFor('usage', ['getAll']);

/** The parameters of "Usage". */
export const usage: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['usage'] } },
		options: [
			{
				name: 'Get Many',
				value: 'getAll',
				description: 'See how often skills were loaded by agents, and when last',
				action: 'Get many usage records',
			},
		],
		default: 'getAll',
	},
	{
		displayName: 'Count',
		name: 'countBy',
		type: 'options',
		displayOptions: show,
		options: [
			{ name: 'Per Skill', value: 'total' },
			{ name: 'Per Skill and User', value: 'user' },
			{ name: 'Per Skill, User and Day', value: 'day' },
		],
		default: 'total',
		description:
			'How the loads are added up; of skills that the user cannot change, only the own loads count',
	},
	{
		displayName: 'Of',
		name: 'usageOf',
		type: 'options',
		displayOptions: show,
		options: [
			{ name: 'All Skills', value: 'all' },
			{ name: 'One Skill', value: 'one' },
		],
		default: 'all',
		description: 'Of which skills; only those that the user may see are counted',
	},
	skillReference(showFor('usage', ['getAll'], { usageOf: ['one'] })),
	{
		displayName: 'Since',
		name: 'since',
		type: 'dateTime',
		default: '',
		displayOptions: show,
		description: 'Only loads at this day or later; empty counts all',
	},
];
