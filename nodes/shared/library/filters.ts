import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/** The filters by which skills are chosen, equal wherever many are meant. */
const FILTERS: INodeProperties[] = [
	{
		displayName: 'Changed Since',
		name: 'changedSince',
		type: 'dateTime',
		default: '',
		description: 'Only skills that were changed at this time or later',
	},
	{
		displayName: 'Names',
		name: 'names',
		type: 'string',
		default: '',
		placeholder: 'e.g. invoice-check, customer-reply',
		description: 'Only the skills of these names, parted by commas',
	},
	{
		displayName: 'Own Skills Only',
		name: 'ownOnly',
		type: 'boolean',
		default: false,
		description: 'Whether to leave out public skills of other owners',
	},
	{
		displayName: 'Owner',
		name: 'owner',
		type: 'string',
		default: '',
		placeholder: 'e.g. anna@example.com',
		description: 'Only skills of this user, as far as they may be seen',
	},
	{
		displayName: 'Tags',
		name: 'tags',
		type: 'string',
		default: '',
		placeholder: 'e.g. finance, invoices',
		description: 'Only skills that have all of these tags, parted by commas',
	},
	{
		displayName: 'Visibility',
		name: 'visibility',
		type: 'options',
		options: [
			{ name: 'Any', value: 'any' },
			{ name: 'Private', value: 'private' },
			{ name: 'Public', value: 'public' },
			{ name: 'System', value: 'system', description: 'Skills without an owner' },
		],
		default: 'any',
		description: 'Only skills that are seen so',
	},
];

/** Gives back the collection of filters; `without` names those that make no sense there. */
export function skillFilters(
	displayOptions?: IDisplayOptions,
	without: string[] = [],
): INodeProperties {
	return {
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		...(displayOptions ? { displayOptions } : {}),
		description: 'Which skills; without any filter all that the user may see',
		options: FILTERS.filter(({ name }) => !without.includes(name)),
	};
}
