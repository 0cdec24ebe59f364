import type { INodeProperties } from 'n8n-workflow';

import { skillReference } from './reference';
import { showFor } from './show';

const show = (operations: string[]) => showFor('version', operations);

/** The parameters of "Version". */
export const version: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['version'] } },
		options: [
			{
				name: 'Compare',
				value: 'compare',
				description: 'Show what differs between two versions',
				action: 'Compare two versions of a skill',
			},
			{
				name: 'Get Many',
				value: 'getAll',
				description: 'List the versions that are kept',
				action: 'Get many versions of a skill',
			},
			{
				name: 'Restore',
				value: 'restore',
				description: 'Make an earlier version the newest one; nothing is lost by it',
				action: 'Restore an earlier version of a skill',
			},
		],
		default: 'getAll',
	},
	skillReference(show(['compare', 'getAll', 'restore'])),
	{
		displayName: 'Version',
		name: 'version',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1,
		required: true,
		displayOptions: show(['compare', 'restore']),
		description: 'The number of the earlier version, as Get Many lists it',
	},
	{
		displayName: 'Compare With',
		name: 'otherVersion',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 0,
		displayOptions: show(['compare']),
		hint: '0 means the current version',
		description: 'The number of the later version',
	},
];
