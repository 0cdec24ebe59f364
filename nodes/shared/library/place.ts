import type { INodeProperties } from 'n8n-workflow';

/** Where the library is kept, equal in all nodes that use one. */
export const databaseProperty: INodeProperties = {
	displayName: 'Library In',
	name: 'database',
	type: 'options',
	options: [
		{
			name: 'Built-In Database',
			value: 'sqlite',
			description: "A SQLite file in n8n's own folder; nothing to set up",
		},
		{
			name: 'Postgres',
			value: 'postgres',
			description: 'For several n8n workers, or when other programs use the library too',
		},
	],
	default: 'sqlite',
	description: 'Where the skills are kept; all nodes with the same choice see the same library',
};
