import type { IDataObject, IExecuteFunctions, IRunExecutionData, ITaskData } from 'n8n-workflow';

import { toolArguments, type ToolName } from '../core/schema';

/** A tool call as the model made it. */
export interface ToolCall {
	tool: ToolName;
	/** What stood before the tool's name. */
	prefix: string;
	arguments: IDataObject;
}

/** What of the execution context we read besides its public methods. */
interface RunData {
	runExecutionData?: IRunExecutionData;
	runIndex?: number;
}

/**
 * Gives back the call that the AI Agent 3 runs this node for, null when it is no tool call. The
 * arguments are the model's own: n8n merges them over the agent's item, so the item's fields must
 * not be taken for arguments, nor the model's for the item's.
 */
export function toolCallOf(context: IExecuteFunctions): ToolCall | null {
	const own = modelArguments(context);
	const { tool, ...rest } = own ?? context.getInputData()[0]?.json ?? {};
	const name = bareToolName(tool);
	if (name === null) return null;
	if (own === undefined) delete rest.toolCallId;
	return { tool: name, prefix: String(tool).slice(0, -name.length), arguments: rest };
}

/** Gives back what the engine has noted of this run of the node. */
export function currentRun(context: IExecuteFunctions): ITaskData | undefined {
	const { runExecutionData, runIndex = 0 } = context as unknown as RunData;
	return runExecutionData?.resultData.runData[context.getNode().name]?.[runIndex];
}

/** Gives back what the model itself sent, as AI Agent 3 notes it; nothing where no agent asks. */
export function modelArguments(context: IExecuteFunctions): IDataObject | undefined {
	const run = currentRun(context);
	return run?.inputOverride?.ai_tool?.[0]?.[0]?.json;
}

/** Gives back the tool that a name with any prefix means. */
export function bareToolName(name: unknown): ToolName | null {
	if (typeof name !== 'string') return null;
	const fitting = (Object.keys(toolArguments) as ToolName[]).filter((tool) => name.endsWith(tool));
	// "unload_skill" ends with "load_skill": the longer one is meant.
	return fitting.sort((a, b) => b.length - a.length)[0] ?? null;
}
