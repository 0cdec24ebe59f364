import type { ICredentialType, INodeProperties } from 'n8n-workflow';

/** A Postgres database that keeps a skill library. */
// eslint-disable-next-line @n8n/community-nodes/credential-test-required -- by the Skill Library node
export class AgentSkillsPostgresApi implements ICredentialType {
	name = 'agentSkillsPostgresApi';

	displayName = 'Agent Skills Postgres API';

	icon = { light: 'file:postgres.svg', dark: 'file:postgres.dark.svg' } as const;

	documentationUrl =
		'https://github.com/n8n-nodes-agent-skills/n8n-nodes-agent-skills/blob/main/docs/library.md';

	properties: INodeProperties[] = [
		{
			displayName: 'Host',
			name: 'host',
			type: 'string',
			default: 'localhost',
			required: true,
			placeholder: 'e.g. postgres.example.com',
		},
		{
			displayName: 'Port',
			name: 'port',
			type: 'number',
			default: 5432,
			required: true,
		},
		{
			displayName: 'Database',
			name: 'database',
			type: 'string',
			default: 'postgres',
			required: true,
			description: 'It must exist, with the encoding UTF8',
		},
		{
			displayName: 'User',
			name: 'user',
			type: 'string',
			default: 'postgres',
			required: true,
			description: 'It must be allowed to create tables in the schema below',
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			default: '',
		},
		{
			displayName: 'Schema',
			name: 'schema',
			type: 'string',
			default: 'agent_skills',
			required: true,
			description:
				'Where the tables of the library are; it is created if it is not there. Another schema is another library.',
		},
		{
			displayName: 'SSL',
			name: 'ssl',
			type: 'options',
			options: [
				{
					name: 'Disable',
					value: 'disable',
					description: 'Not encrypted: for a server on the same machine or network',
				},
				{
					name: 'Require',
					value: 'require',
					description: 'Encrypted, without a look at the certificate of the server',
				},
				{
					name: 'Verify',
					value: 'verify',
					description: 'Encrypted, and the certificate must be valid for the host',
				},
			],
			default: 'disable',
		},
		{
			displayName: 'CA Certificate',
			name: 'ca',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: '-----BEGIN CERTIFICATE-----',
			displayOptions: { show: { ssl: ['verify'] } },
			description:
				"Only for a server whose certificate was signed by an authority of one's own, as PEM",
		},
	];
}
