import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

const onlyData: IDisplayOptions = { show: { backend: ['data'] } };
const onlyForm: IDisplayOptions = { show: { backend: ['data'], dataFrom: ['form'] } };
const onlyItems: IDisplayOptions = { show: { backend: ['data'], dataFrom: ['items'] } };

/** The parameters of "Workflow Data". */
export const data: INodeProperties[] = [
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
