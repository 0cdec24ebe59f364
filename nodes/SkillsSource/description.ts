import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

const onlyFilesystem: IDisplayOptions = { show: { backend: ['filesystem'] } };
const onlyData: IDisplayOptions = { show: { backend: ['data'] } };
const onlyForm: IDisplayOptions = { show: { backend: ['data'], dataFrom: ['form'] } };
const onlyItems: IDisplayOptions = { show: { backend: ['data'], dataFrom: ['items'] } };

/** Where the skills are, first of all parameters. */
const backend: INodeProperties = {
	displayName: 'Skills From',
	name: 'backend',
	type: 'options',
	options: [
		{
			name: 'Folders on Disk',
			value: 'filesystem',
			description: 'Folders that this n8n can read; each skill is a folder with a SKILL.md',
		},
		{
			name: 'Workflow Data',
			value: 'data',
			description: 'Skills typed in here, or items of any node (Data Table, Postgres, Notion …)',
		},
	],
	default: 'filesystem',
	description: 'Where the skills are kept',
};

const filesystem: INodeProperties[] = [
	{
		displayName: 'Folders',
		name: 'sources',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true, multipleValueButtonText: 'Add Folder' },
		placeholder: 'Add Folder',
		default: { source: [{ path: '~/.n8n-files/skills', label: '' }] },
		displayOptions: onlyFilesystem,
		description:
			'Folders to look for skills in. When two hold a skill of the same name, the lower one in this list wins; drag to sort.',
		options: [
			{
				displayName: 'Folder',
				name: 'source',
				values: [
					{
						displayName: 'Path',
						name: 'path',
						type: 'string',
						default: '',
						placeholder: 'e.g. ~/.n8n-files/skills',
						description:
							'A folder of skills, a single skill, or a repository with a skills folder. n8n lets nodes read only ~/.n8n-files unless an administrator allows more.',
					},
					{
						displayName: 'Label',
						name: 'label',
						type: 'string',
						default: '',
						placeholder: 'e.g. Team',
						description: 'How this folder is called in the prompt; empty takes its name',
					},
				],
			},
		],
	},
];

const data: INodeProperties[] = [
	{
		displayName: 'Data',
		name: 'dataFrom',
		type: 'options',
		options: [
			{
				name: 'Typed in Below',
				value: 'form',
			},
			{
				name: 'From Items (Expression)',
				value: 'items',
			},
		],
		default: 'form',
		displayOptions: onlyData,
		description: 'Whether the skills are written in this node or come from other nodes',
	},
	{
		displayName: 'Skills',
		name: 'skills',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true, multipleValueButtonText: 'Add Skill' },
		placeholder: 'Add Skill',
		default: {},
		displayOptions: onlyForm,
		description: 'The skills, each with its instructions and files',
		options: [
			{
				displayName: 'Skill',
				name: 'skill',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						placeholder: 'e.g. invoice-check',
						description: 'Lowercase letters, digits and hyphens',
					},
					{
						displayName: 'Description',
						name: 'description',
						type: 'string',
						default: '',
						placeholder: 'e.g. Checks incoming invoices. Use when the user sends an invoice.',
						description: 'What it does and when to use it; the model decides by this text',
					},
					{
						displayName: 'Instructions',
						name: 'instructions',
						type: 'string',
						typeOptions: { rows: 6 },
						default: '',
						placeholder: 'e.g. 1. Read the total …',
						description:
							'What the model shall do, in Markdown; it gets this only when it loads the skill',
					},
					{
						displayName: 'Files',
						name: 'files',
						type: 'fixedCollection',
						typeOptions: { multipleValues: true, multipleValueButtonText: 'Add File' },
						placeholder: 'Add File',
						default: {},
						description: 'Files beside the instructions that the model can read when it needs them',
						options: [
							{
								displayName: 'File',
								name: 'file',
								values: [
									{
										displayName: 'Path',
										name: 'path',
										type: 'string',
										default: '',
										placeholder: 'e.g. references/tax-rates.md',
									},
									{
										displayName: 'Content',
										name: 'content',
										type: 'string',
										typeOptions: { rows: 4 },
										default: '',
									},
								],
							},
						],
					},
				],
			},
		],
	},
	{
		displayName: 'Items',
		name: 'items',
		type: 'json',
		default: '[]',
		displayOptions: onlyItems,
		hint: 'Example expression: {{ $("Data Table").all() }}',
		description:
			'Items of another node. Each is a skill with the fields name, description, content and optionally files (a list of path and content), or a file with the fields path and content. For Base64 content add the field encoding with the value base64.',
	},
];

const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
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
			displayOptions: { show: { '/backend': ['data'] } },
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

/** The parameters of Skills Source. */
export const properties: INodeProperties[] = [backend, ...filesystem, ...data, options];
