import type { INodeProperties } from 'n8n-workflow';

const MAX_PREFIX_LENGTH = 32;

/**
 * Gives back a prefix that keeps tool names valid. It ends with "_" or "-": otherwise "un" would
 * turn `load_skill` into `unload_skill`.
 */
export function toolPrefix(text: unknown): string {
	const clean = String(text ?? '')
		.replace(/[^A-Za-z0-9_-]+/g, '_')
		.slice(0, MAX_PREFIX_LENGTH);
	return clean === '' || /[_-]$/.test(clean) ? clean : `${clean}_`;
}

/** The parameter for it, equal in both nodes that name the tools. */
export const prefixProperty: INodeProperties = {
	displayName: 'Tool Name Prefix',
	name: 'toolPrefix',
	type: 'string',
	default: '',
	placeholder: 'e.g. team_',
	description:
		'Put before the names of the tools, so that two Skill Loader Tools on one agent do not clash. Use the same prefix in Skill Catalog Prompt and Skill Loader Tool.',
};
