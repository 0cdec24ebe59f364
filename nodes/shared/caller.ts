import { randomUUID } from 'node:crypto';

import type { IExecuteFunctions, IRunExecutionData, Workflow } from 'n8n-workflow';

import { waitingCall } from './agent-item';
import type { NodeContext } from './context';
import { executionId, textsGiven } from './executions';
import { currentRun } from './tool-call';

/** Type of the node that is an agent and a tool of another one. */
const SUB_AGENT = /\.agentTool$/;

/** What of a context we read besides its public methods. */
interface Internals {
	workflow?: Workflow;
	runExecutionData?: IRunExecutionData;
	runIndex?: number;
}

/** What names a model's conversation, as far as it has our texts. */
export interface Caller {
	/** What it has got by calls, by name and hash. */
	given?: Set<string>;
	/** Of one agent about one item; empty: unknown. */
	execution: string;
	/** Of the catalogs whose prompts the agent has; empty: none reaches it. */
	catalog: string;
}

/** Gives back a new caller: an agent that has just asked for its tools. */
export function newCaller(context: NodeContext): Caller {
	return toCaller(context, randomUUID());
}

/** Gives back the agent that asked the engine to run this node, by its run and its item. */
export function engineCaller(context: IExecuteFunctions): Caller {
	const { previousNode = '', previousNodeRun = 0 } = currentRun(context)?.source?.[0] ?? {};
	// What cannot be told apart is a caller of its own: it gets the text once more.
	const { runIndex, runExecutionData } = context as unknown as Internals;
	const call = waitingCall({ runExecutionData }, context.getNode().name, runIndex);
	const item = call?.itemIndex ?? randomUUID();
	return toCaller(context, JSON.stringify([previousNode, previousNodeRun, item]));
}

function toCaller(context: NodeContext, name: string): Caller {
	const id = executionId(context);
	if (id === '') return { execution: '', catalog: '' };
	const execution = `${id}/${name}`;
	const catalog = isOfSubAgent(context) ? '' : id;
	return { execution, catalog, given: textsGiven(context, execution) };
}

function isOfSubAgent(context: NodeContext): boolean {
	const { workflow } = context as unknown as Internals;
	const names = workflow?.getChildNodes(context.getNode().name, 'ai_tool', 1) ?? [];
	return names.some((name) => SUB_AGENT.test(workflow?.getNode(name)?.type ?? ''));
}
