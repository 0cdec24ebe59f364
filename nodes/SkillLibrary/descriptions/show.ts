import type { IDisplayOptions } from 'n8n-workflow';

/** Gives back when a parameter is shown: for these operations of a resource, and more if given. */
export function showFor(
	resource: string,
	operations: string[],
	more: NonNullable<IDisplayOptions['show']> = {},
): IDisplayOptions {
	return { show: { resource: [resource], operation: operations, ...more } };
}
