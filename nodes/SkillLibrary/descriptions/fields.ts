import type { INodeProperties } from 'n8n-workflow';

import { showFor } from './show';

const typedIn = showFor('skill', ['create'], { defineBy: ['fields'] });

const visibility: INodeProperties = {
	displayName: 'Visibility',
	name: 'visibility',
	type: 'options',
	options: [
		{ name: 'Private', value: 'private', description: 'Only the owner sees it' },
		{ name: 'Public', value: 'public', description: 'Everybody sees it, the owner changes it' },
		{
			name: 'System',
			value: 'system',
			description: 'Everybody sees it, nobody owns it; needs Act as Administrator',
		},
	],
	default: 'private',
	description: 'Who sees the skill',
};

const tags: INodeProperties = {
	displayName: 'Tags',
	name: 'tags',
	type: 'string',
	default: '',
	placeholder: 'e.g. finance, invoices',
	description: 'Words to find the skill by, parted by commas',
};

const further: INodeProperties = {
	displayName: 'Further Frontmatter',
	name: 'extras',
	type: 'json',
	default: '{}',
	description:
		'Other fields of the SKILL.md as a JSON object, for example {"license": "MIT", "allowed-tools": ["Read"]}',
};

const owner: INodeProperties = {
	displayName: 'Owner',
	name: 'owner',
	type: 'string',
	default: '',
	placeholder: 'e.g. anna@example.com',
	description: 'Whose skill it is; anybody but the user needs Act as Administrator',
};

const skillMd: INodeProperties = {
	displayName: 'SKILL.md',
	name: 'newSkillMd',
	type: 'string',
	typeOptions: { rows: 10 },
	default: '',
	required: true,
	displayOptions: showFor('skill', ['create', 'update'], { defineBy: ['skillMd'] }),
	description:
		'The whole text of a SKILL.md: name, description, tags and all else are taken from it',
};

const defineBy: INodeProperties = {
	displayName: 'Define By',
	name: 'defineBy',
	type: 'options',
	displayOptions: showFor('skill', ['create', 'update']),
	options: [
		{ name: 'Fields Below', value: 'fields' },
		{ name: 'Text of a SKILL.md', value: 'skillMd' },
	],
	default: 'fields',
	description: 'Where name, description and instructions come from',
};

const create: INodeProperties[] = [
	{
		displayName: 'Skill Name',
		name: 'skillName',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. invoice-check',
		displayOptions: typedIn,
		description:
			'Lowercase letters, digits and single hyphens; unique among the skills of an owner',
	},
	{
		displayName: 'Skill Description',
		name: 'skillDescription',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Checks incoming invoices. Use when the user sends an invoice.',
		displayOptions: typedIn,
		description: 'What it does and when to use it; the model decides by this text',
	},
	{
		displayName: 'Instructions',
		name: 'instructions',
		type: 'string',
		typeOptions: { rows: 8 },
		default: '',
		placeholder: 'e.g. 1. Read the total …',
		displayOptions: typedIn,
		description: 'What the model shall do, in Markdown; it gets this only when it loads the skill',
	},
	{ ...tags, displayOptions: typedIn },
	{ ...visibility, displayOptions: showFor('skill', ['create']) },
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		displayOptions: showFor('skill', ['create']),
		options: [further, owner],
	},
];

const update: INodeProperties = {
	displayName: 'Fields to Change',
	name: 'changes',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	displayOptions: showFor('skill', ['update'], { defineBy: ['fields'] }),
	description: 'What is not added here stays as it is',
	options: [
		{
			displayName: 'Description',
			name: 'description',
			type: 'string',
			default: '',
			description: 'What it does and when to use it; the model decides by this text',
		},
		further,
		{
			displayName: 'Instructions',
			name: 'content',
			type: 'string',
			typeOptions: { rows: 8 },
			default: '',
			description: 'What the model shall do, in Markdown',
		},
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			default: '',
			placeholder: 'e.g. invoice-check',
			description: 'Lowercase letters, digits and single hyphens',
		},
		owner,
		tags,
		visibility,
	],
};

/** The fields of a skill, for Create and Update. */
export const fields: INodeProperties[] = [defineBy, skillMd, ...create, update];
