import type { INodeProperties } from 'n8n-workflow';

import { skillReference } from './reference';
import { showFor } from './show';

const show = (operations: string[], more = {}) => showFor('file', operations, more);

/** The parameters of "File". */
export const file: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['file'] } },
		options: [
			{
				name: 'Add or Replace',
				value: 'put',
				description: 'Put a file beside the SKILL.md, or replace the one that is there',
				action: 'Add or replace a file of a skill',
			},
			{
				name: 'Delete',
				value: 'delete',
				description: 'Remove a file',
				action: 'Delete a file of a skill',
			},
			{
				name: 'Get',
				value: 'get',
				description: 'Get a file as text or binary data',
				action: 'Get a file of a skill',
			},
			{
				name: 'Get Many',
				value: 'getAll',
				description: 'List the files of a skill',
				action: 'Get many files of a skill',
			},
		],
		default: 'getAll',
	},
	{
		displayName: 'File By',
		name: 'fileBy',
		type: 'options',
		displayOptions: show(['delete']),
		options: [
			{ name: 'File ID', value: 'id', description: 'The ID alone says which skill it is of' },
			{ name: 'Skill and Path', value: 'path' },
		],
		default: 'path',
		description: 'How the file is named',
	},
	skillReference(show(['get', 'getAll', 'put'])),
	{ ...skillReference(show(['delete'], { fileBy: ['path'] })) },
	{
		displayName: 'File ID',
		name: 'fileId',
		type: 'string',
		default: '',
		required: true,
		displayOptions: show(['delete'], { fileBy: ['id'] }),
		description: 'The ID that Get Many or Add or Replace has told',
	},
	{
		displayName: 'Path',
		name: 'path',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. references/tax-rates.md',
		displayOptions: show(['get', 'put']),
		description: "Where the file lies in the skill's folder; folders are parted by /",
	},
	{
		displayName: 'Path',
		name: 'path',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. references/tax-rates.md',
		displayOptions: show(['delete'], { fileBy: ['path'] }),
		description: "Where the file lies in the skill's folder; folders are parted by /",
	},
	{
		displayName: 'Content From',
		name: 'contentFrom',
		type: 'options',
		displayOptions: show(['put']),
		options: [
			{ name: 'Binary Data', value: 'binary', description: 'A file that came with the item' },
			{ name: 'Text Below', value: 'text' },
		],
		default: 'text',
		description: 'What is put into the file',
	},
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		typeOptions: { rows: 6 },
		default: '',
		displayOptions: show(['put'], { contentFrom: ['text'] }),
		description: 'The whole content of the file',
	},
	{
		displayName: 'Input Binary Field',
		name: 'binaryField',
		type: 'string',
		default: 'data',
		required: true,
		displayOptions: show(['put'], { contentFrom: ['binary'] }),
		hint: 'The name of the input binary field containing the file',
	},
	{
		displayName: 'Output As',
		name: 'outputAs',
		type: 'options',
		displayOptions: show(['get']),
		options: [
			{
				name: 'Automatic',
				value: 'auto',
				description: 'Text files as the field "content", other files as binary data',
			},
			{ name: 'Binary Data', value: 'binary' },
		],
		default: 'auto',
		description: 'How the content is given',
	},
	{
		displayName: 'Put Output File in Field',
		name: 'outputField',
		type: 'string',
		default: 'data',
		displayOptions: show(['get']),
		hint: 'The name of the output binary field to put the file in',
	},
];
