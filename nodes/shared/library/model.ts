import {
	NodeOperationError,
	traverseNodeParameters,
	type FromAIArgument,
	type IExecuteFunctions,
} from 'n8n-workflow';

import { echo } from '../../core/text';
import type { NodeContext } from '../context';
import { modelArguments } from '../tool-call';

/** Tells whether the node is the tool of an agent: n8n gives its type a name of its own then. */
export function isTool(context: Pick<NodeContext, 'getNode'>): boolean {
	return context.getNode().type.endsWith('Tool');
}

/**
 * Refuses arguments that the node did not ask for. AI Agent 3 lays what the model sends over the
 * item, so an expression of the node would take the model's field for the item's.
 */
export function assertOwnArguments(context: IExecuteFunctions): void {
	const given = isTool(context) ? modelArguments(context) : undefined;
	if (given === undefined) return;
	const asked: FromAIArgument[] = [];
	traverseNodeParameters(context.getNode().parameters, asked);
	const known = new Set([...asked.map(({ key }) => key), 'tool', 'toolCallId']);
	const unknown = Object.keys(given).filter((key) => !known.has(key));
	if (unknown.length === 0) return;
	const names = asked.map(({ key }) => key).join(', ') || 'none';
	throw new NodeOperationError(context.getNode(), `Unknown argument "${echo(unknown[0])}"`, {
		description: `Call the tool again with the arguments that it has: ${names}.`,
	});
}
