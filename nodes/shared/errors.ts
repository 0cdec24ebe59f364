import { NodeOperationError } from 'n8n-workflow';

import { messageOf, SkillError } from '../core/errors';
import { LibraryError } from '../core/library/types';
import { escapeMarkup } from '../core/text';
import type { NodeContext } from './context';

/** Gives back any error as n8n shows it: what is wrong, and below it what to do. */
export function toNodeError(
	context: Pick<NodeContext, 'getNode'>,
	error: unknown,
	itemIndex: number,
	advice?: string,
): NodeOperationError {
	if (error instanceof NodeOperationError) return error;
	const hint = advice ?? hintOf(error);
	return new NodeOperationError(context.getNode(), escapeMarkup(messageOf(error)), {
		itemIndex,
		...(hint === undefined ? {} : { description: escapeMarkup(hint) }),
	});
}

/** Gives back what a person can do about an error of ours. */
export function hintOf(error: unknown): string | undefined {
	return error instanceof LibraryError || error instanceof SkillError ? error.hint : undefined;
}
