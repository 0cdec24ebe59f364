import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { databaseProperty } from '../../shared/library/place';

const onlyLibrary: IDisplayOptions = { show: { backend: ['library'] } };

/** The parameters of "Skill Library". */
export const library: INodeProperties[] = [
	{ ...databaseProperty, displayOptions: onlyLibrary },
	{
		displayName: 'User',
		name: 'user',
		type: 'string',
		default: '',
		placeholder: "e.g. {{ $('Chat').item.json.user }}",
		displayOptions: onlyLibrary,
		hint: 'Empty: nobody in particular, who sees public and system skills only',
		description:
			"For whom the agent works: this user's private skills are offered beside the public and the system ones. Read it from the trigger, as in the example.",
	},
	{
		displayName: 'Tags',
		name: 'libraryTags',
		type: 'string',
		default: '',
		placeholder: 'e.g. finance, invoices',
		displayOptions: onlyLibrary,
		description: 'Only skills that have all of these tags, parted by commas; empty offers all',
	},
	{
		displayName: 'Skill Names',
		name: 'libraryNames',
		type: 'string',
		default: '',
		placeholder: 'e.g. invoice-check, customer-reply',
		displayOptions: onlyLibrary,
		description: 'Only the skills of these names, parted by commas; empty offers all',
	},
];
