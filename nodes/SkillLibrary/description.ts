import type { INodeProperties } from 'n8n-workflow';

import { database, identity } from './descriptions/connection';
import { fields } from './descriptions/fields';
import { file } from './descriptions/file';
import { format } from './descriptions/format';
import { skill } from './descriptions/skill';
import { sync } from './descriptions/sync';
import { transfer } from './descriptions/transfer';
import { usage } from './descriptions/usage';
import { version } from './descriptions/version';

const resource: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'File', value: 'file' },
		{ name: 'Format', value: 'format' },
		{ name: 'Import / Export', value: 'transfer' },
		{ name: 'Skill', value: 'skill' },
		{ name: 'Sync', value: 'sync' },
		{ name: 'Usage', value: 'usage' },
		{ name: 'Version', value: 'version' },
	],
	default: 'skill',
	description: 'What this node works on',
};

/** The parameters of Skill Library. */
export const properties: INodeProperties[] = [
	resource,
	...[skill, file, version, format, transfer, sync, usage].map(([operation]) => operation),
	database,
	...identity,
	...[skill, file, version, format, transfer, sync, usage].flatMap(([, ...rest]) => rest),
	...fields,
];
