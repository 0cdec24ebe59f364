import { Host, type SavedWorkflow } from '../../engine/support/host';

import { ExecuteContext, SupplyDataContext } from 'n8n-core';
import {
	createRunExecutionData,
	NodeConnectionTypes,
	type IBinaryKeyData,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type IRunExecutionData,
	type NodeExecutionHint,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { sourcePackage } from './sources';

/** In which execution a context is to be, and with which items. */
export interface Situation {
	node: string;
	items?: IDataObject[];
	/** Files that each of the items has, or of a list each its own. */
	binary?: IBinaryKeyData | Array<IBinaryKeyData | undefined>;
	mode?: WorkflowExecuteMode;
	executionId?: string;
	/** Items that a trigger gave; null: it did not run. */
	triggered?: IDataObject[] | null;
	/** Arguments of a tool call as the engine notes them. */
	toolCall?: IDataObject;
}

/** The hosts share nothing but the code, so one serves all contexts. */
export const host = new Host(sourcePackage());

const toItems = (items: IDataObject[]): INodeExecutionData[] => items.map((json) => ({ json }));

function runDataOf(saved: SavedWorkflow, situation: Situation): IRunExecutionData {
	const { items = [{}], triggered = items, toolCall, node } = situation;
	const run = { startTime: 0, executionTime: 0, executionIndex: 0, source: [] };
	const runData: IRunExecutionData['resultData']['runData'] = {};
	if (triggered) {
		runData[saved.nodes[0].name] = [{ ...run, data: { main: [toItems(triggered)] } }];
	}
	if (toolCall) runData[node] = [{ ...run, inputOverride: { ai_tool: [toItems([toolCall])] } }];
	return createRunExecutionData({ resultData: { runData } });
}

function partsOf(saved: SavedWorkflow, situation: Situation) {
	const { items = [{}], mode = 'webhook', executionId = 'exec-1' } = situation;
	const workflow = host.open(saved);
	const node = workflow.getNode(situation.node) as INode;
	const binaryOf = (index: number) =>
		Array.isArray(situation.binary) ? situation.binary[index] : situation.binary;
	const withFiles = (item: INodeExecutionData, index: number) => {
		const binary = binaryOf(index);
		return binary ? { ...item, binary } : item;
	};
	const data = { main: [toItems(items).map(withFiles)] };
	const source = { main: [{ previousNode: saved.nodes[0].name }] };
	return {
		workflow,
		node,
		additional: host.additionalData(saved, executionId, mode),
		mode,
		run: runDataOf(saved, situation),
		data,
		executeData: { node, data, source },
	};
}

/** Gives back n8n's own context of a node that is executed. */
export function executeContext(saved: SavedWorkflow, situation: Situation): ExecuteContext {
	const { workflow, node, additional, mode, run, data, executeData } = partsOf(saved, situation);
	const items = data.main[0];
	return new ExecuteContext(workflow, node, additional, mode, run, 0, items, data, executeData, []);
}

/** Gives back n8n's own context of a sub-node that is asked for what it supplies. */
export function supplyContext(saved: SavedWorkflow, situation: Situation): SupplyDataContext {
	const { workflow, node, additional, mode, run, data, executeData } = partsOf(saved, situation);
	const items = data.main[0];
	return new SupplyDataContext(
		workflow,
		node,
		additional,
		mode,
		run,
		0,
		items,
		data,
		NodeConnectionTypes.AiTool,
		executeData,
		[],
	);
}

/** Gives back the hints that a context has collected. */
export function hintsOf(context: { hints: NodeExecutionHint[] }): string[] {
	return context.hints.map(({ message }) => message);
}
