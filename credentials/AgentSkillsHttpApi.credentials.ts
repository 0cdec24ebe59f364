import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

/** A secret for one web server: in a header, as a bearer token, or as user name and password. */
export class AgentSkillsHttpApi implements ICredentialType {
	name = 'agentSkillsHttpApi';

	displayName = 'Agent Skills HTTP API';

	icon = { light: 'file:http.svg', dark: 'file:http.dark.svg' } as const;

	documentationUrl =
		'https://github.com/n8n-nodes-agent-skills/n8n-nodes-agent-skills/blob/main/docs/backends.md';

	properties: INodeProperties[] = [
		{
			displayName: 'Address',
			name: 'url',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/.well-known/agent-skills/index.json',
			description:
				'The secret is sent to this server only. The test of the credential asks this address: a file, a website or an MCP server.',
		},
		{
			displayName: 'Authentication',
			name: 'kind',
			type: 'options',
			options: [
				{ name: 'Basic Auth', value: 'basic' },
				{ name: 'Bearer Token', value: 'bearer' },
				{ name: 'Header', value: 'header' },
			],
			default: 'bearer',
			description: 'How the server wants the secret',
		},
		{
			displayName: 'Token',
			name: 'token',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			displayOptions: { show: { kind: ['bearer'] } },
			description: 'Sent as "Authorization: Bearer …"',
		},
		{
			displayName: 'User',
			name: 'user',
			type: 'string',
			default: '',
			displayOptions: { show: { kind: ['basic'] } },
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			displayOptions: { show: { kind: ['basic'] } },
		},
		{
			displayName: 'Header Name',
			name: 'headerName',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. X-API-Key',
			displayOptions: { show: { kind: ['header'] } },
		},
		{
			displayName: 'Header Value',
			name: 'headerSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			displayOptions: { show: { kind: ['header'] } },
		},
	];

	/** Gives back the request with the secret in it. */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const text = (field: string) => String(credentials[field] ?? '');
		if (credentials.kind === 'basic') {
			return { ...request, auth: { username: text('user'), password: text('password') } };
		}
		const [name, value] =
			credentials.kind === 'header'
				? [text('headerName'), text('headerSecret')]
				: ['Authorization', `Bearer ${text('token')}`];
		return { ...request, headers: { ...request.headers, [name]: value } };
	}
}
