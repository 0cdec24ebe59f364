import { NodeOperationError, type INodeExecutionData, type IRunExecutionData } from 'n8n-workflow';

import type { Actor } from '../../core/library/types';
import { echo } from '../../core/text';
import type { NodeContext } from '../context';
import { isTool } from './model';

const READ_IT_FROM_THE_TRIGGER =
	"Read it from the trigger, which the model cannot touch, for example {{ $('Chat').item.json.user }}, or type it in.";

// What an expression may name when a model is at work: nothing that holds the model's own words.
const UNTOUCHED_BY_MODELS = new Set([
	'$',
	'$env',
	'$execution',
	'$itemIndex',
	'$secrets',
	'$vars',
	'$workflow',
]);

/** Gives back who asks; whatever the model of a tool sends, it never becomes somebody else. */
export function actorOf(context: NodeContext, itemIndex: number): Actor {
	const { user: written, actAsAdministrator = false } = context.getNode().parameters;
	if (typeof actAsAdministrator !== 'boolean') {
		throw refusal(context, itemIndex, '"Act as Administrator" must be switched, not calculated', {
			description: 'Set the switch itself; an expression is not taken.',
		});
	}
	if (isTool(context)) {
		assertUntouched(context, itemIndex, written);
		assertOneUser(context, itemIndex);
	}
	return { user: userOf(context, itemIndex), isAdministrator: actAsAdministrator };
}

/** Gives back the user by the parameter "User"; null: nobody in particular. */
export function userOf(context: NodeContext, itemIndex: number): string | null {
	const value: unknown = context.getNodeParameter('user', itemIndex, '');
	if (value === null || value === undefined) return null;
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
	throw refusal(context, itemIndex, '"User" is no text', {
		description: `It is ${echo(value)}. Give the name or the ID of one user.`,
	});
}

/** What of the execution context we read besides its public methods. */
interface Asked {
	connectionInputData?: INodeExecutionData[];
	runExecutionData?: IRunExecutionData;
}

/**
 * Tells whether an agent asks for several items at once whose users may differ. AI Agent 1 and 2
 * prepare a tool once, for the first of them, and in AI Agent 3 `$('Node').item` is the first one
 * whichever item the call is for.
 */
export function isSharedByUsers(context: NodeContext): boolean {
	const { user: written } = context.getNode().parameters;
	if (typeof written !== 'string' || !written.startsWith('=')) return false;
	const { connectionInputData = [], runExecutionData } = context as unknown as Asked;
	if (itemsOfAgent(connectionInputData[0], runExecutionData) > 1) return true;
	return new Set(connectionInputData.map((_, index) => userOf(context, index))).size > 1;
}

/** Gives back how many items the agent has that made an item of a tool call, as AI Agent 3 notes it. */
function itemsOfAgent(item?: INodeExecutionData, run?: IRunExecutionData): number {
	const paired = [item?.pairedItem].flat()[0];
	const from = typeof paired === 'object' ? paired.sourceOverwrite : undefined;
	if (from === undefined) return 1;
	const { previousNode, previousNodeRun = 0, previousNodeOutput = 0 } = from;
	const before = run?.resultData.runData[previousNode]?.[previousNodeRun];
	return before?.data?.main?.[previousNodeOutput]?.length ?? 1;
}

function assertUntouched(context: NodeContext, itemIndex: number, written: unknown): void {
	if (typeof written !== 'string' || !written.startsWith('=')) return;
	const names = written.match(/\$[A-Za-z_]*/g) ?? [];
	const bad = names.find((name) => !UNTOUCHED_BY_MODELS.has(name));
	if (bad === undefined) return;
	throw refusal(context, itemIndex, `"User" of a tool must not be read with ${bad}`, {
		description: `The model could name somebody else. ${READ_IT_FROM_THE_TRIGGER}`,
	});
}

function assertOneUser(context: NodeContext, itemIndex: number): void {
	if (!isSharedByUsers(context)) return;
	throw refusal(
		context,
		itemIndex,
		'The agent has several items, and nobody knows whose call it is',
		{
			description:
				'Put a Loop Over Items node before the agent, so that it gets one item at a time.',
		},
	);
}

function refusal(
	context: NodeContext,
	itemIndex: number,
	message: string,
	more: { description: string },
): NodeOperationError {
	return new NodeOperationError(context.getNode(), message, { itemIndex, ...more });
}
