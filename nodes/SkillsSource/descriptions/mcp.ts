import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

const onlyMcp: IDisplayOptions = { show: { backend: ['mcp'] } };

/** The parameters of "MCP Server". */
export const mcp: INodeProperties[] = [
	{
		displayName: 'Server URL',
		name: 'mcpUrl',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. https://example.com/mcp',
		displayOptions: onlyMcp,
		description:
			'The address of an MCP server (Streamable HTTP) that offers skills by the extension io.modelcontextprotocol/skills',
	},
	{
		displayName: 'Unlisted Skills',
		name: 'mcpSkillUris',
		type: 'string',
		default: '',
		placeholder: 'e.g. skill://acme/refunds/SKILL.md',
		displayOptions: onlyMcp,
		description:
			'Addresses of skills that the server has but does not list, parted by commas. A server may list only some of its skills.',
	},
];
