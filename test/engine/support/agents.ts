import { randomUUID } from 'node:crypto';

import { CallbackManager } from '@langchain/core/callbacks/manager';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import { DynamicStructuredTool, type StructuredTool } from '@langchain/core/tools';
import {
	NodeConnectionTypes,
	type EngineRequest,
	type EngineResponse,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';
import { z } from 'zod';

/** A call that the model makes; the arguments may be anything a model sends. */
export interface Call {
	tool: string;
	args: unknown;
}

/** One answer of the model: its calls, made from what the tools have answered so far. */
export type Turn = Call[] | ((answers: string[], item: IDataObject) => Call[] | Promise<Call[]>);

/** What stands in for the language model: its turns, in order. */
export type Model = Turn[];

/** A tool as the model sees it. */
export interface SeenTool {
	name: string;
	description: string;
	schema: IDataObject;
}

/** The models of the agents that run now, by the id in their parameter "model". */
export const models = new Map<string, Model>();

const TOOLS_INPUT = { type: NodeConnectionTypes.AiTool, displayName: 'Tool' };

function agentDescription(name: string): INodeTypeDescription {
	return {
		displayName: name,
		name,
		group: ['transform'],
		version: 1,
		description: 'Stand-in for the AI Agent',
		defaults: { name },
		inputs: [NodeConnectionTypes.Main, TOOLS_INPUT],
		outputs: [NodeConnectionTypes.Main],
		properties: [
			{ displayName: 'Model', name: 'model', type: 'string', default: '' },
			{ displayName: 'System', name: 'system', type: 'string', default: '' },
		],
	};
}

// As n8n's getConnectedTools: always for item 0, toolkits flattened, tools of them marked.
async function connectedTools(
	context: IExecuteFunctions | ISupplyDataFunctions,
): Promise<StructuredTool[]> {
	const connected = (await context.getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as Array<
		StructuredTool | { tools: StructuredTool[] }
	>;
	return connected.flatMap((one) => {
		if (!('tools' in one)) return one;
		return one.tools.map((tool) => {
			tool.metadata = { ...tool.metadata, isFromToolkit: true };
			return tool;
		});
	});
}

function seen(tools: StructuredTool[]): SeenTool[] {
	return tools.map(({ name, description, schema }) => ({
		name,
		description,
		schema: toJsonSchema(schema) as unknown as IDataObject,
	}));
}

async function callsOf(turn: Turn, answers: string[], item: IDataObject): Promise<Call[]> {
	return typeof turn === 'function' ? await turn(answers, item) : turn;
}

function outputOf(
	context: IExecuteFunctions,
	index: number,
	answers: string[],
	tools: StructuredTool[],
): INodeExecutionData {
	const system = context.getNodeParameter('system', index, '') as string;
	const json = { answers, system, tools: seen(tools) } as unknown as IDataObject;
	return { json, pairedItem: { item: index } };
}

interface Progress extends IDataObject {
	turn: number;
	answers: string[][];
}

/** AI Agent 3: asks the engine to run the tool nodes and is resumed with their answers. */
export class AgentV3 implements INodeType {
	description = agentDescription('agentV3');

	async execute(
		this: IExecuteFunctions,
		response?: EngineResponse,
	): Promise<INodeExecutionData[][] | EngineRequest> {
		const tools = await connectedTools(this);
		const items = this.getInputData();
		const model = models.get(this.getNodeParameter('model', 0) as string) ?? [];
		const before = response?.metadata as unknown as Progress | undefined;
		const progress: Progress = before?.answers ? before : { turn: 0, answers: items.map(() => []) };
		for (const { action, data } of response?.actionResponses ?? []) {
			const { itemIndex } = action.metadata as { itemIndex: number };
			const [{ json }] = data.data?.ai_tool?.[0] as INodeExecutionData[];
			// Any other key, "error" above all, would reach the model or start retries.
			if (Object.keys(json).join() !== 'response') throw new Error(JSON.stringify(json));
			progress.answers[itemIndex].push(json.response as string);
		}
		while (progress.turn < model.length) {
			const turn = model[progress.turn++];
			const actions: EngineRequest['actions'] = [];
			for (const [itemIndex, item] of items.entries()) {
				const calls = await callsOf(turn, progress.answers[itemIndex], item.json);
				actions.push(...engineActions(calls, itemIndex, tools, progress.turn));
			}
			if (actions.length > 0) return { actions, metadata: progress as never };
		}
		return [items.map((_, index) => outputOf(this, index, progress.answers[index], tools))];
	}
}

// As n8n's createEngineRequests: a call to an unknown tool is dropped without a word.
function engineActions(
	calls: Call[],
	itemIndex: number,
	tools: StructuredTool[],
	turn: number,
): EngineRequest['actions'] {
	return calls.flatMap(({ tool: name, args }, index) => {
		const tool = tools.find((one) => one.name === name);
		if (!tool) return [];
		return {
			actionType: 'ExecutionNodeAction' as const,
			nodeName: tool.metadata?.sourceNodeName as string,
			input: { ...(args as IDataObject), tool: name },
			type: NodeConnectionTypes.AiTool,
			id: `call-${turn}-${itemIndex}-${index}`,
			metadata: { itemIndex } as never,
		};
	});
}

async function invokeAll(
	model: Model,
	tools: StructuredTool[],
	item: IDataObject,
): Promise<string[]> {
	const answers: string[] = [];
	// As LangChain's executor: all calls of one item have one run above them.
	const callbacks = new CallbackManager(randomUUID());
	for (const turn of model) {
		const calls = await callsOf(turn, answers, item);
		const results = await Promise.all(
			calls.map(async ({ tool: name, args }) => {
				const tool = tools.find((one) => one.name === name);
				if (!tool) return `${name} is not a valid tool, try another one.`;
				return (await tool.invoke(args as never, { callbacks })) as string;
			}),
		);
		answers.push(...results);
	}
	return answers;
}

/** AI Agent 1 and 2: calls the tools itself, those of one turn at the same time. */
export class AgentV2 implements INodeType {
	description = agentDescription('agentV2');

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const tools = await connectedTools(this);
		const model = models.get(this.getNodeParameter('model', 0) as string) ?? [];
		const output: INodeExecutionData[] = [];
		for (const [index, item] of this.getInputData().entries()) {
			output.push(outputOf(this, index, await invokeAll(model, tools, item.json), tools));
		}
		return [output];
	}
}

/** AI Agent Tool: a tool that is itself an agent with tools of its own. */
export class AgentTool implements INodeType {
	description: INodeTypeDescription = {
		...agentDescription('agentTool'),
		inputs: [TOOLS_INPUT],
		outputs: [NodeConnectionTypes.AiTool],
	};

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const tools = await connectedTools(this);
		const model = models.get(this.getNodeParameter('model', itemIndex) as string) ?? [];
		const response = new DynamicStructuredTool({
			name: 'ask_sub_agent',
			description: 'Asks the sub-agent',
			schema: z.object({}),
			func: async () => JSON.stringify(await invokeAll(model, tools, {})),
		});
		return { response };
	}
}
