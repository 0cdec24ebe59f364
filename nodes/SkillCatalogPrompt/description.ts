import type { INodeProperties } from 'n8n-workflow';

import { DEFAULT_TEMPLATE } from '../core/catalog';
import { DEFAULT_CATALOG_TOKENS, DEFAULT_MAX_LOADED_SKILLS } from '../core/limits';
import { prefixProperty } from '../shared/prefix';
import { scopeProperties } from '../shared/session';

/** The parameters of Skill Catalog Prompt. */
export const properties: INodeProperties[] = [
	{
		displayName:
			'Place this before an AI Agent. In the agent, add the option "System Message" and set it to <code>{{ $json.skillsPrompt }}</code>.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Format',
		name: 'format',
		type: 'options',
		options: [
			{
				name: 'Compact',
				value: 'compact',
				description: 'One plain line per skill; the fewest tokens',
			},
			{
				name: 'Markdown',
				value: 'markdown',
				description: 'A list with usage instructions; fits most models',
			},
			{
				name: 'Own Template',
				value: 'custom',
				description: 'Your own text with slots for the list',
			},
			{
				name: 'XML',
				value: 'xml',
				description: 'An available_skills block, as Claude likes it',
			},
		],
		default: 'markdown',
		description: 'How the list of skills looks in the prompt',
	},
	{
		displayName: 'Template',
		name: 'template',
		type: 'string',
		typeOptions: { rows: 12 },
		default: DEFAULT_TEMPLATE,
		displayOptions: { show: { format: ['custom'] } },
		hint: 'Slots: {skills_locations}, {skills_load_warnings}, {skills_list}',
		description: 'The text around the list; each slot in curly brackets is filled in',
	},
	{
		displayName: 'Include Instructions of Loaded Skills',
		name: 'includeInstructions',
		type: 'boolean',
		default: true,
		description:
			'Whether to put the full instructions of skills that were loaded earlier in the conversation into the prompt again. Keep it on: the memory of an agent may have dropped them.',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			{
				displayName: 'Add Skills as Data',
				name: 'addSkills',
				type: 'boolean',
				default: false,
				description:
					'Whether to add a field "skills" with name, description and source of each skill, for use in other nodes',
			},
			{
				displayName: 'Max Catalog Tokens',
				name: 'maxTokens',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: DEFAULT_CATALOG_TOKENS,
				description:
					'About how many tokens the list may take. Above it descriptions are shortened, then only names are listed and the agent searches. 0 means no limit.',
			},
			{
				displayName: 'Max Loaded Skills',
				name: 'maxLoadedSkills',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: DEFAULT_MAX_LOADED_SKILLS,
				description:
					'The same number as in the Skill Loader Tool. When so many are loaded, a skill that the user asks for ("/invoice-check …") is given for that one message only.',
			},
			{
				displayName: 'Output Field',
				name: 'outputField',
				type: 'string',
				default: 'skillsPrompt',
				description: 'Name of the field that gets the prompt',
			},
			{
				displayName: 'Pinned Skills',
				name: 'pinnedSkills',
				type: 'string',
				default: '',
				placeholder: 'e.g. house-style, safety-rules',
				description:
					'Names of skills whose full instructions are always in the prompt, parted by commas. They do not count towards Max Loaded Skills. Pin them in the Skill Loader Tool too.',
			},
			{
				displayName: 'Show Load Warnings',
				name: 'showWarnings',
				type: 'boolean',
				default: true,
				description:
					'Whether the prompt says which skills could not be read, so that the agent can tell the user',
			},
			{
				displayName: 'User Message',
				name: 'userMessage',
				type: 'string',
				default: '={{ $json.chatInput }}',
				description:
					'What the user wrote. A message that starts with a slash and the name of a skill ("/invoice-check …") loads that skill at once. Empty this field to switch it off.',
			},
			...scopeProperties,
			prefixProperty,
		],
	},
];
