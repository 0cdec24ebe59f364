import type { INodeProperties } from 'n8n-workflow';

import { shortSession, type Scope } from '../core/loaded';
import { executionId } from './executions';
import type { NodeContext } from './context';

/** The options by which a node says whose loaded skills it means. */
export interface ScopeOptions {
	session?: unknown;
	noSession?: 'shared' | 'execution';
	stateName?: string;
}

/** State name of an agent that was given none. */
export const DEFAULT_STATE_NAME = 'skills';
const SHARED_SESSION = '';

/** Gives back the scope: the session given, else the item's or the Chat Trigger's, else one for all. */
export function resolveScope(
	context: NodeContext,
	itemIndex: number,
	options: ScopeOptions,
): Scope {
	const state = shortSession((options.stateName ?? '').trim() || DEFAULT_STATE_NAME);
	const session =
		asText(options.session) ||
		evaluated(context, '{{ $json.sessionId }}', itemIndex) ||
		chatTriggerSession(context, itemIndex);
	if (session !== '') return { state, session: shortSession(`session:${session}`) };
	const perExecution = options.noSession === 'execution';
	return { state, session: perExecution ? EXECUTION + executionId(context) : SHARED_SESSION };
}

const EXECUTION = 'execution:';

/** Tells whether a scope is that of one execution alone. */
export function isOfExecution({ session }: Scope): boolean {
	return session.startsWith(EXECUTION);
}

function chatTriggerSession(context: NodeContext, itemIndex: number): string {
	const trigger = context.getChatTrigger();
	if (!trigger) return '';
	// Braces in a node's name would end the expression.
	const name = JSON.stringify(trigger.name).replace(/[{}]/g, (brace) =>
		brace === '{' ? '\\u007b' : '\\u007d',
	);
	return evaluated(context, `{{ $(${name}).first().json.sessionId }}`, itemIndex);
}

function evaluated(context: NodeContext, expression: string, itemIndex: number): string {
	try {
		return asText(context.evaluateExpression(expression, itemIndex));
	} catch {
		// There is no item, or the Chat Trigger did not run: another trigger started this.
		return '';
	}
}

function asText(value: unknown): string {
	if (typeof value === 'string') return value.trim();
	return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}

/** The parameters of `ScopeOptions`, for the Options of both nodes that know the loaded state. */
export const scopeProperties: INodeProperties[] = [
	{
		displayName: 'Session',
		name: 'session',
		type: 'string',
		default: '',
		placeholder: "e.g. {{ $('Webhook').item.json.body.userId }}",
		description:
			"Whose conversation this is; each session has its own loaded skills. Leave empty to use the Chat Trigger's session. Read it from the trigger, as in the example, not with $JSON: what the model sends is merged into $JSON and could name somebody else's session.",
	},
	{
		displayName: 'State Name',
		name: 'stateName',
		type: 'string',
		default: DEFAULT_STATE_NAME,
		description:
			'Which agent this is. Agents of one workflow that use the same name share their loaded skills; give a sub-agent that shall be separate a name of its own. Use the same name in Skill Catalog Prompt and Skill Loader Tool of one agent.',
	},
	{
		displayName: 'Without a Session',
		name: 'noSession',
		type: 'options',
		options: [
			{
				name: 'All Runs Share One State',
				value: 'shared',
				description: 'Skills stay loaded from one run of this workflow to the next',
			},
			{
				name: 'Each Execution Has Its Own',
				value: 'execution',
				description: 'Every run starts with no skill loaded',
			},
		],
		default: 'shared',
		description: 'What to do when there is neither a session nor a Chat Trigger',
	},
];
