import type { INodeProperties } from 'n8n-workflow';

import { DEFAULT_MAX_LOADED_SKILLS } from '../core/limits';
import { prefixProperty } from '../shared/prefix';
import { scopeProperties } from '../shared/session';

/** The parameters of the Skill Loader Tool. */
export const properties: INodeProperties[] = [
	{
		displayName:
			'Connect this to the Tool input of an AI Agent, and a Skills Source below. The agent then loads a skill when a task needs it. Tip: raise "Max Iterations" of the agent (default 10), since each tool call counts.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Max Loaded Skills',
		name: 'maxLoadedSkills',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: DEFAULT_MAX_LOADED_SKILLS,
		description:
			'How many skills the agent may have loaded at the same time in one conversation. When it is reached, the agent is told to unload one first.',
	},
	{
		displayName: 'Tools to Offer',
		name: 'tools',
		type: 'multiOptions',
		options: [
			{
				name: 'Load Skill',
				value: 'load_skill',
				description: 'Get the full instructions of a skill',
			},
			{
				name: 'Read Skill File',
				value: 'read_skill_file',
				description: 'Read scripts, references and assets of a skill',
			},
			{
				name: 'Search Skills',
				value: 'search_skills',
				description: 'Find skills by words, useful with many skills',
			},
			{
				name: 'Unload Skill',
				value: 'unload_skill',
				description: 'Free the slot of a skill that is no longer needed',
			},
		],
		default: ['load_skill', 'unload_skill', 'read_skill_file', 'search_skills'],
		description: 'Which tools the agent gets',
	},
	{
		displayName: 'Pinned Skills',
		name: 'pinnedSkills',
		type: 'string',
		default: '',
		placeholder: 'e.g. house-style, safety-rules',
		description:
			'Names of skills that are always loaded, parted by commas. They do not count towards Max Loaded Skills. If you use Skill Catalog Prompt, pin them there too, so that they stand in the prompt; otherwise they are put into the description of the tool.',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			{
				displayName: 'Catalog in Tool Description',
				name: 'catalogInDescription',
				type: 'options',
				options: [
					{
						name: 'Always',
						value: 'always',
					},
					{
						name: 'Automatic',
						value: 'automatic',
						description: 'Only when no Skill Catalog Prompt has run for this conversation',
					},
					{
						name: 'Never',
						value: 'never',
					},
				],
				default: 'automatic',
				description:
					'Whether the description of the tool lists the skills, for agents without a Skill Catalog Prompt',
			},
			{
				displayName: 'Read Files Of',
				name: 'readFilesOf',
				type: 'options',
				options: [
					{
						name: 'Any Skill',
						value: 'any',
					},
					{
						name: 'Loaded Skills Only',
						value: 'loaded',
						description: 'For example when a person must approve every load_skill',
					},
				],
				default: 'any',
				description: 'Whether the agent may read files of a skill that it has not loaded',
			},
			...scopeProperties,
			prefixProperty,
		],
	},
];
