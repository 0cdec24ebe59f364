import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/** Gives back the parameter that says which skill is meant. */
export function skillReference(displayOptions: IDisplayOptions): INodeProperties {
	return {
		displayName: 'Skill',
		name: 'skill',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		displayOptions,
		description:
			"Which skill is meant. By name it is the user's own one, else the system's, else a public one of somebody else.",
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Choose a skill…',
				typeOptions: {
					searchListMethod: 'searchSkills',
					searchable: true,
					// The built-in library needs none; of a missing one for Postgres the search itself says so.
					skipCredentialsCheckInRLC: true,
				},
			},
			{
				displayName: 'By Name',
				name: 'name',
				type: 'string',
				placeholder: 'e.g. invoice-check',
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. 0192f0c1-7d0e-7c3a-9b1f-2f6f0a7c9d10',
			},
		],
	};
}
