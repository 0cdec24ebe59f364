import type {
	IDataObject,
	IExecuteData,
	INode,
	INodeExecutionData,
	IRunExecutionData,
	ITaskDataConnections,
} from 'n8n-workflow';

import type { NodeContext } from './context';

/** What of a context we read and set besides its public methods. */
interface Internals {
	runExecutionData?: IRunExecutionData;
	runIndex?: number;
	/** Of a sub-node: the node that asked for it, whose run this is. */
	parentNode?: INode;
	/** Where expressions find `$json`. */
	connectionInputData?: INodeExecutionData[];
	inputData?: ITaskDataConnections;
}

/** A call as the waiting agent remembers it, and the item that it is about. */
export interface WaitingCall {
	agent: IExecuteData;
	itemIndex: number;
	item: INodeExecutionData | undefined;
}

/** Gives back the call that the engine runs a node for; nothing where no agent waits for it. */
export function waitingCall(
	{ runExecutionData }: Internals,
	node: string,
	runIndex = 0,
): WaitingCall | undefined {
	for (const agent of runExecutionData?.executionData?.nodeExecutionStack ?? []) {
		const actions = agent.metadata?.subNodeExecutionData?.actions ?? [];
		// Not by the call's id, which the model's service makes and may make twice.
		const call = actions.find((one) => one.nodeName === node && one.runIndex === runIndex);
		if (!call) continue;
		const { itemIndex = 0 } = (call.action.metadata ?? {}) as { itemIndex?: number };
		return { agent, itemIndex, item: agent.data.main?.[0]?.[itemIndex] };
	}
	return undefined;
}

/**
 * Puts the agent's own item back where n8n shows it merged with what the model sent, so that no
 * expression takes an argument for a field of the item. Call it before any parameter is resolved;
 * sub-nodes that the context asks for afterwards see the same.
 */
export function restoreAgentItem(context: NodeContext): void {
	const internals = context as unknown as Internals;
	const { connectionInputData = [], inputData, parentNode, runIndex } = internals;
	const node = (parentNode ?? context.getNode()).name;
	const [merged] = connectionInputData;
	if (merged === undefined) return;
	// A tool is run for a call only; who asks for tools may be called itself, or not.
	if (parentNode && !isCalled(internals, node, runIndex, merged)) return;
	const json = ownFields(internals, node, runIndex, merged.json);
	const own = [{ ...merged, json }];
	// Not in place: the agent's own context, and the engine, may hold the same arrays.
	internals.connectionInputData = own;
	if (inputData?.main) internals.inputData = { ...inputData, main: [own] };
}

/** Gives back the fields of an item without what models sent on the way to a node. */
function ownFields(
	internals: Internals,
	node: string,
	runIndex: number | undefined,
	json: IDataObject,
): IDataObject {
	const call = waitingCall(internals, node, runIndex);
	if (!call?.item) return withoutArguments(json, sentByModel(internals, node, runIndex));
	const { agent, item } = call;
	const { node: asking, runIndex: run } = agent;
	if (!isCalled(internals, asking.name, run, item)) return item.json;
	return ownFields(internals, asking.name, run, item.json);
}

/** Tells whether an agent was itself called by another one, and so has a merged item. */
function isCalled(
	internals: Internals,
	agent: string,
	runIndex: number | undefined,
	{ json }: INodeExecutionData,
): boolean {
	// AI Agent 1 and 2 note their calls too, but give the id to nobody and merge nothing.
	return json.toolCallId !== undefined && sentByModel(internals, agent, runIndex) !== undefined;
}

/** Gives back what is surely the item's; a field that an argument covers is lost. */
function withoutArguments(json: IDataObject, sent: IDataObject | undefined): IDataObject {
	// Where n8n did not note what the model sent, any field may be the model's.
	if (sent === undefined) return {};
	const taken = new Set([...Object.keys(sent), 'tool', 'toolCallId']);
	return Object.fromEntries(Object.entries(json).filter(([key]) => !taken.has(key)));
}

/** Gives back what a model sent when it called a node; nothing where the engine noted no call. */
function sentByModel(
	{ runExecutionData }: Internals,
	node: string,
	runIndex = 0,
): IDataObject | undefined {
	const run = runExecutionData?.resultData.runData[node]?.[runIndex];
	return run?.inputOverride?.ai_tool?.[0]?.[0]?.json;
}
