import type { INodeProperties } from 'n8n-workflow';

import { skillFilters } from '../../shared/library/filters';
import { skillReference } from './reference';
import { showFor } from './show';

const show = (operations: string[], more = {}) => showFor('skill', operations, more);

/** The operations on whole skills. */
const operation: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['skill'] } },
	options: [
		{
			name: 'Create',
			value: 'create',
			description: 'Put a new skill into the library',
			action: 'Create a skill',
		},
		{
			name: 'Delete',
			value: 'delete',
			description: 'Remove a skill with its files and versions',
			action: 'Delete a skill',
		},
		{
			name: 'Generate SKILL.md',
			value: 'generate',
			description: 'Write the SKILL.md of a skill as text',
			action: 'Generate the text of a skill',
		},
		{
			name: 'Get',
			value: 'get',
			description: 'Get a skill with its instructions and its list of files',
			action: 'Get a skill',
		},
		{
			name: 'Get Many',
			value: 'getAll',
			description: 'Search or list the skills that the user may see',
			action: 'Get many skills',
		},
		{
			name: 'Update',
			value: 'update',
			description: 'Change what is given and keep the rest',
			action: 'Update a skill',
		},
		{
			name: 'Validate',
			value: 'validate',
			description: 'Check a SKILL.md, or a skill of the library, against the specification',
			action: 'Validate a skill',
		},
	],
	default: 'getAll',
};

const ifVersion: INodeProperties = {
	displayName: 'Only if Version Is',
	name: 'ifVersion',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 1,
	description:
		'Refuse when the skill has another version by now, because somebody changed it since you read it',
};

const getOptions: INodeProperties[] = [
	{
		displayName: 'Files',
		name: 'includeFiles',
		type: 'options',
		displayOptions: show(['get']),
		options: [
			{
				name: 'List Only',
				value: 'list',
				description: 'Path, size and hash of each file',
			},
			{
				name: 'List and Text',
				value: 'text',
				description: 'Also what is in the text files; binary files come by File: Get',
			},
			{
				name: 'None',
				value: 'none',
			},
		],
		default: 'list',
		description: 'What is told of the files beside the SKILL.md',
	},
	{
		displayName: 'Search',
		name: 'search',
		type: 'string',
		default: '',
		placeholder: 'e.g. vat invoice',
		displayOptions: show(['getAll']),
		description:
			'Words to find in name, description, tags and instructions; the best match comes first. Empty lists all.',
	},
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		displayOptions: show(['getAll']),
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 50,
		displayOptions: show(['getAll'], { returnAll: [false] }),
		description: 'Max number of results to return',
	},
	skillFilters(show(['getAll'])),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		displayOptions: show(['getAll'], { returnAll: [false] }),
		options: [
			{
				displayName: 'Output as One Page',
				name: 'asPage',
				type: 'boolean',
				default: false,
				description:
					'Whether to output one item with the list "skills" and, when there are more, "nextCursor", in place of one item per skill',
			},
			{
				displayName: 'Page Cursor',
				name: 'cursor',
				type: 'string',
				default: '',
				description: 'The "nextCursor" of the page before; empty starts at the first',
			},
		],
	},
];

const changeOptions: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	displayOptions: show(['delete', 'update']),
	options: [ifVersion],
};

const validation: INodeProperties[] = [
	{
		displayName: 'Validate',
		name: 'validateWhat',
		type: 'options',
		displayOptions: show(['validate']),
		options: [
			{ name: 'A Skill of the Library', value: 'skill' },
			{ name: 'The Text of a SKILL.md', value: 'text' },
		],
		default: 'text',
		description: 'What is checked; nothing is stored',
	},
	{
		displayName: 'SKILL.md',
		name: 'skillMd',
		type: 'string',
		typeOptions: { rows: 8 },
		default: '',
		required: true,
		displayOptions: show(['validate'], { validateWhat: ['text'] }),
		placeholder: 'e.g. ---\\nname: invoice-check\\ndescription: …\\n---\\n…',
		description: 'The whole text of a SKILL.md, with its frontmatter',
	},
	skillReference(show(['validate'], { validateWhat: ['skill'] })),
];

/** The parameters of "Skill", but for the fields of a skill. */
export const skill: INodeProperties[] = [
	operation,
	skillReference(show(['delete', 'generate', 'get', 'update'])),
	...validation,
	...getOptions,
	changeOptions,
];
