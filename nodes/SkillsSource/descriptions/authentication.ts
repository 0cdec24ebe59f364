import type { ICredentialsDisplayOptions, INodeProperties } from 'n8n-workflow';

import { HTTP_CREDENTIAL } from '../../shared/http';

/** Which backends ask a web server that may want a credential. */
const overHttp: ICredentialsDisplayOptions = {
	show: { backend: ['archive', 'mcp', 'website'] },
};

/** When the credential for web servers is shown. */
export const withHttpCredential: ICredentialsDisplayOptions = {
	show: { ...overHttp.show, authentication: [HTTP_CREDENTIAL] },
};

/** How a web server is asked, of all backends that ask one. */
export const authentication: INodeProperties = {
	displayName: 'Authentication',
	name: 'authentication',
	type: 'options',
	options: [
		{
			name: 'Header, Bearer Token or Basic Auth',
			value: HTTP_CREDENTIAL,
			description: 'The secret is sent only to the server that the credential names',
		},
		{
			name: 'None',
			value: 'none',
		},
	],
	default: 'none',
	displayOptions: overHttp,
	description: 'How the server is asked; without meaning for binary data',
};
