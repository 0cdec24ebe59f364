import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { messageOf } from '../../core/errors';
import { LibraryError } from '../../core/library/types';
import { restoreAgentItem } from '../agent-item';
import { hintOf, toNodeError } from '../errors';
import { modelArguments } from '../tool-call';
import { actorOf } from './actor';
import { assertOwnArguments, isTool } from './model';
import { openLibrary } from './open';
import { OPERATIONS } from './operations';

/** Gives back what the operation of the node outputs for all its items. */
export async function runLibrary(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const output: INodeExecutionData[] = [];
	for (let item = 0; item < context.getInputData().length; item++) {
		try {
			// Before any parameter is resolved: an expression would see the model's fields as the item's.
			assertOwnArguments(context);
			for (const made of await runItem(context, item))
				output.push({ ...made, pairedItem: { item } });
		} catch (error) {
			const mayGoOn = context.continueOnFail() || isTool(context);
			if (!mayGoOn) throw toNodeError(context, error, item);
			output.push({ json: failure(context, error), pairedItem: { item } });
		}
	}
	return [output];
}

async function runItem(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const resource = context.getNodeParameter('resource', itemIndex) as string;
	const operation = context.getNodeParameter('operation', itemIndex) as string;
	const actor = actorOf(context, itemIndex);
	if (isTool(context) && modelArguments(context) !== undefined) restoreAgentItem(context);
	const library = await openLibrary(context, itemIndex, actor);
	return await OPERATIONS[`${resource}:${operation}`]({ context, itemIndex, actor, library });
}

/** What stands in the place of a result; n8n takes it for the error output only with these keys. */
function failure(context: IExecuteFunctions, error: unknown): IDataObject {
	const message = messageOf(error);
	const text = error instanceof NodeOperationError ? error.description : hintOf(error);
	const hint = text ? { hint: text } : {};
	// An agent would get an empty answer for what is thrown, and try again for what has a key "error".
	if (isTool(context)) return { success: false, problem: message, ...hint };
	const code = error instanceof LibraryError ? error.code : 'failed';
	return { error: message, details: { code, ...hint } };
}
