import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

const onlyGithub: IDisplayOptions = { show: { backend: ['github'] } };
const onlyPublic: IDisplayOptions = {
	show: { backend: ['github'], githubAuthentication: ['none'] },
};

/** The parameters of "GitHub". */
export const github: INodeProperties[] = [
	{
		displayName: 'Authentication',
		name: 'githubAuthentication',
		type: 'options',
		options: [
			{
				name: 'Access Token',
				value: 'token',
				description: 'Private repositories, and 5,000 requests an hour',
			},
			{
				name: 'None',
				value: 'none',
				description: 'Public repositories, and 60 requests an hour from one address',
			},
		],
		default: 'none',
		displayOptions: onlyGithub,
		description: 'How GitHub is asked',
	},
	{
		displayName: 'Owner',
		name: 'owner',
		type: 'string',
		default: '',
		placeholder: 'e.g. anthropics',
		displayOptions: onlyGithub,
		description: 'The person or organization; you can also paste the address of the repository',
	},
	{
		displayName: 'Repository',
		name: 'repository',
		type: 'string',
		default: '',
		placeholder: 'e.g. skills',
		displayOptions: onlyGithub,
		description:
			'The name of the repository. When it is a marketplace for Claude Code, the skills listed there are offered.',
	},
	{
		displayName: 'Branch, Tag or Commit',
		name: 'revision',
		type: 'string',
		default: '',
		placeholder: 'e.g. v1.2.0',
		displayOptions: onlyGithub,
		description:
			'Empty takes the default branch. A whole commit ID (40 characters) never changes; the output of this node shows the one in use.',
	},
	{
		displayName: 'Folders',
		name: 'repositoryFolders',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true, multipleValueButtonText: 'Add Folder' },
		placeholder: 'Add Folder',
		default: {},
		displayOptions: onlyGithub,
		description:
			'Folders of the repository to look for skills in; none means all of it. When two hold a skill of the same name, the lower one in this list wins; drag to sort.',
		options: [
			{
				displayName: 'Folder',
				name: 'folder',
				values: [
					{
						displayName: 'Path',
						name: 'path',
						type: 'string',
						default: '',
						placeholder: 'e.g. skills/team',
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
	{
		displayName: 'API Address',
		name: 'githubApiUrl',
		type: 'string',
		default: 'https://api.github.com',
		placeholder: 'e.g. https://github.example.com/api/v3',
		displayOptions: onlyPublic,
		description: 'For GitHub Enterprise. With a token, the address in the credential is used.',
	},
];
