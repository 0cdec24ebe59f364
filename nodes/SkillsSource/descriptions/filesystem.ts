import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

const onlyFilesystem: IDisplayOptions = { show: { backend: ['filesystem'] } };

/** The parameters of "Folders on Disk". */
export const filesystem: INodeProperties[] = [
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
