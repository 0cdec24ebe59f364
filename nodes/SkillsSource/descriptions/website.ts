import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

const onlyWebsite: IDisplayOptions = { show: { backend: ['website'] } };

/** The parameters of "Website". */
export const website: INodeProperties[] = [
	{
		displayName: 'Website',
		name: 'websiteUrl',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. https://example.com',
		displayOptions: onlyWebsite,
		description:
			'A site that publishes skills for agents (under /.well-known/agent-skills), or the address of its index itself',
	},
];
