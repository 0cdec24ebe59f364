import type {
	IAuthenticateGeneric,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

/** A token for the GitHub API, and the address that it is for. */
export class AgentSkillsGithubApi implements ICredentialType {
	name = 'agentSkillsGithubApi';

	displayName = 'Agent Skills GitHub API';

	icon = { light: 'file:github.svg', dark: 'file:github.dark.svg' } as const;

	documentationUrl =
		'https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/managing-your-personal-access-tokens';

	properties: INodeProperties[] = [
		{
			displayName: 'Access Token',
			name: 'accessToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'A fine-grained token with the permission "Contents: Read-only" for the repositories, or a classic one with the scope "repo"',
		},
		{
			displayName: 'API Address',
			name: 'apiUrl',
			type: 'string',
			default: 'https://api.github.com',
			placeholder: 'e.g. https://github.example.com/api/v3',
			description:
				'The token is sent to this address only. For GitHub Enterprise Server write https://&lt;your server&gt;/api/v3.',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.accessToken}}' } },
	};

	test: ICredentialTestRequest = {
		request: { baseURL: '={{$credentials.apiUrl}}', url: '/user', method: 'GET' },
	};
}
