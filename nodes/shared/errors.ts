import { NodeOperationError } from 'n8n-workflow';

import { messageOf } from '../core/errors';
import { escapeMarkup } from '../core/text';
import type { NodeContext } from './context';

/** Gives back any error as n8n shows it: what is wrong, and below it what to do. */
export function toNodeError(
	context: NodeContext,
	error: unknown,
	itemIndex: number,
	advice?: string,
): NodeOperationError {
	if (error instanceof NodeOperationError) return error;
	return new NodeOperationError(context.getNode(), escapeMarkup(messageOf(error)), {
		itemIndex,
		...(advice === undefined ? {} : { description: escapeMarkup(advice) }),
	});
}
