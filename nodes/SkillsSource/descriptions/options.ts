import type { INodeProperties } from 'n8n-workflow';

import { DEFAULT_REFRESH_SECONDS } from '../../core/limits';

/** The Options, of all backends. */
export const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Check for Changes Every (Seconds)',
			name: 'refreshSeconds',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: DEFAULT_REFRESH_SECONDS,
			displayOptions: { show: { '/backend': ['archive', 'github', 'mcp', 'website'] } },
			description:
				'For how long the list of skills is taken from memory before the place is asked whether it changed. With 0 it is asked in every run.',
		},
		{
			displayName: 'Exclude Skills',
			name: 'exclude',
			type: 'string',
			default: '',
			placeholder: 'e.g. draft-*, internal-?',
			description:
				'Names or patterns (* and ?) of skills to hide, parted by commas. Hidden skills are not listed and cannot be loaded. Applies to Base Skills too.',
		},
		{
			displayName: 'Include Skills',
			name: 'include',
			type: 'string',
			default: '',
			placeholder: 'e.g. invoice-*, customer-reply',
			description:
				'Names or patterns (* and ?) of the only skills to offer, parted by commas. Empty offers all. Applies to Base Skills too.',
		},
		{
			displayName: 'Label',
			name: 'label',
			type: 'string',
			default: '',
			placeholder: 'e.g. Workflow',
			displayOptions: { show: { '/backend': ['archive', 'data', 'library', 'mcp', 'website'] } },
			description: 'How these skills are called in the prompt',
		},
		{
			displayName: 'On Source Error',
			name: 'onSourceError',
			type: 'options',
			options: [
				{
					name: 'Fail',
					value: 'fail',
					description: 'Stop the run when a source cannot be read',
				},
				{
					name: 'Warn',
					value: 'warn',
					description: 'Go on with the other skills and show what is wrong',
				},
			],
			default: 'warn',
			description: 'What to do when a source cannot be read',
		},
		{
			displayName: 'Root Folder',
			name: 'root',
			type: 'string',
			default: '',
			placeholder: 'e.g. ~/.n8n-files/library',
			displayOptions: { show: { '/backend': ['filesystem'] } },
			description: 'When set, the folders above are looked up inside this one',
		},
		{
			displayName: 'Use N8N_SKILLS_DIRS',
			name: 'environmentFolders',
			type: 'boolean',
			default: true,
			displayOptions: { show: { '/backend': ['filesystem'] } },
			description:
				'Whether to put the folders of the environment variable N8N_SKILLS_DIRS before the folders above',
		},
	],
};
