import './environment';

import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	CHAT_TRIGGER_NODE_TYPE,
	NodeConnectionTypes,
	NodeHelpers,
	Workflow,
	type IBinaryKeyData,
	type IConnections,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
	type IRun,
	type ITaskData,
	type IWorkflowExecuteAdditionalData,
	type IWorkflowSettings,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { AgentTool, AgentV2, AgentV3 } from './agents';
import { memory } from './memory';

/** Our nodes and how to forget what they keep in the process: compiled ones, or the sources. */
export interface Package {
	nodes: INodeType[];
	forgetEverything(): void;
}

/** A workflow as it is saved in n8n. */
export interface SavedWorkflow {
	id?: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
}

/** What is known of a finished execution. */
export interface Run {
	id: string;
	status: IRun['status'];
	error?: Error;
	data: IRun['data'];
	runs(node: string): ITaskData[];
	output(node: string): INodeExecutionData[];
	hints(node: string): string[];
}

/** What an execution starts with. */
export interface Start {
	items?: IDataObject[];
	/** Files that each of the items has. */
	binary?: IBinaryKeyData;
	mode?: WorkflowExecuteMode;
	/** Of a sub-workflow: the mode of the run that began it all, as n8n notes it. */
	rootMode?: WorkflowExecuteMode;
	/** Node that starts; the first of the workflow unless told. */
	from?: string;
	executionId?: string;
}

/** Gives back a trigger that hands over the items it was started with. */
function trigger(name: string): INodeType {
	return {
		description: {
			displayName: name,
			name,
			group: ['trigger'],
			version: 1,
			description: 'Starts the workflow',
			defaults: { name },
			inputs: [],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		webhook: async () => ({}),
	};
}

/** Passes its items on, and notes a run of its own in static data, as other people's nodes do. */
const noOp: INodeType = {
	description: {
		...trigger('noOp').description,
		group: ['transform'],
		inputs: [NodeConnectionTypes.Main],
		properties: [
			{ displayName: 'Static Data', name: 'touchStaticData', type: 'boolean', default: false },
		],
	},
	async execute() {
		if (this.getNodeParameter('touchStaticData', 0, false)) {
			const data = this.getWorkflowStaticData('global');
			data.runs = ((data.runs as number | undefined) ?? 0) + 1;
		}
		return [this.getInputData()];
	},
};

/** Drops every field but one, as an Edit Fields node does. */
const strip: INodeType = {
	description: { ...noOp.description, name: 'strip', properties: [] },
	async execute() {
		return [this.getInputData().map((_, item) => ({ json: { kept: 1 }, pairedItem: { item } }))];
	},
};

/** Gives the "Skills" input something that is no Skills Source. */
const otherDocument: INodeType = {
	description: {
		...trigger('otherDocument').description,
		inputs: [],
		outputs: [NodeConnectionTypes.AiDocument],
	},
	supplyData: async () => ({ response: { processItem: () => [] } }),
};

/** Gives back a node and, where it can be one, the tool that n8n makes of it. */
function withTool(node: INodeType): INodeType[] {
	if (!node.description.usableAsTool) return [node];
	const { name } = node.description;
	const outputs = [NodeConnectionTypes.AiTool];
	const description = { ...node.description, name: `${name}Tool`, inputs: [], outputs };
	const tool = Object.create(node, { description: { value: description } }) as INodeType;
	return [node, tool];
}

function nodeTypesOf({ nodes }: Package): INodeTypes {
	const types = new Map<string, INodeType>();
	for (const node of nodes.flatMap(withTool)) {
		types.set(`n8n-nodes-agent-skills.${node.description.name}`, node);
	}
	for (const node of [
		new AgentV3(),
		new AgentV2(),
		new AgentTool(),
		noOp,
		strip,
		otherDocument,
		memory,
	]) {
		types.set(`test.${node.description.name}`, node);
	}
	types.set('test.trigger', trigger('trigger'));
	types.set(CHAT_TRIGGER_NODE_TYPE, trigger('chatTrigger'));
	const get = (type: string) => {
		const found = types.get(type);
		if (!found) throw new Error(`No node type ${type}`);
		return found;
	};
	return { getByName: get, getByNameAndVersion: get, getKnownTypes: () => ({}) };
}

// Expressions offer them all, so n8n builds each of them before it evaluates one.
const URLS = ['instanceBaseUrl', 'restApiUrl', 'formWaitingBaseUrl', 'webhookWaitingBaseUrl'];

// Ids are never used twice in a process, as in n8n.
let executions = 0;

/**
 * An n8n in this process: it runs whole workflows, and keeps static data between executions the
 * way n8n's database does.
 */
export class Host {
	/** How credentials are opened; see `credentialsHelperOf`. */
	credentialsHelper: object = {};
	private readonly nodeTypes: INodeTypes;
	private readonly stored = new Map<string, string>();

	constructor(private readonly code: Package) {
		this.nodeTypes = nodeTypesOf(code);
	}

	/** Runs a workflow from its trigger to its end; a failed run is given back, not thrown. */
	async run(saved: SavedWorkflow, start: Start = {}): Promise<Run> {
		const { items = [{}], mode = 'webhook' } = start;
		const executionId = start.executionId ?? String(++executions);
		const workflow = this.open(saved);
		const startNode = workflow.getNode(start.from ?? saved.nodes[0].name) as INode;
		const files = start.binary ? { binary: start.binary } : {};
		const data = { main: [items.map((json) => ({ json: structuredClone(json), ...files }))] };
		const additional = this.additionalData(saved, executionId, mode);
		additional.rootExecutionMode = start.rootMode;
		const execution = new WorkflowExecute(additional, mode);
		const run = await execution.run({
			workflow,
			startNode,
			triggerToStartFrom: { name: startNode.name, data: { data } as unknown as ITaskData },
		});
		return toRun(executionId, run);
	}

	/** Gives back the workflow as n8n makes it anew for each execution. */
	open(saved: SavedWorkflow): Workflow {
		const { nodes, connections, settings } = structuredClone({ ...saved });
		for (const node of nodes) {
			const { properties } = this.nodeTypes.getByNameAndVersion(node.type).description;
			node.parameters =
				NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, null) ?? {};
		}
		return new Workflow({
			id: saved.id,
			nodes,
			connections,
			active: true,
			nodeTypes: this.nodeTypes,
			settings: { executionOrder: 'v1', ...settings },
			staticData: this.staticData(saved),
		});
	}

	/** Static data of a workflow as the database has it. */
	staticData({ id = '' }: SavedWorkflow): IDataObject {
		return JSON.parse(this.stored.get(id) ?? '{}') as IDataObject;
	}

	/** Puts static data into the database, as a run that n8n saves late does. */
	writeStaticData({ id = '' }: SavedWorkflow, data: unknown): void {
		this.stored.set(id, JSON.stringify(data));
	}

	/** Everything that only the process knows is gone. */
	restart(): void {
		this.code.forgetEverything();
	}

	additionalData(
		{ id = '' }: SavedWorkflow,
		executionId: string,
		mode: WorkflowExecuteMode,
	): IWorkflowExecuteAdditionalData {
		const hooks = new ExecutionLifecycleHooks(mode, executionId, { id } as never);
		const save = (data: unknown) => this.writeStaticData({ id } as SavedWorkflow, data);
		// As n8n's hookFunctionsSave: not of manual runs, not without a valid id.
		hooks.addHandler('workflowExecuteAfter', async (_, newStaticData) => {
			if (mode !== 'manual' && id !== '' && newStaticData) save(newStaticData);
		});
		return {
			executionId,
			hooks,
			currentNodeExecutionIndex: 0,
			variables: {},
			credentialsHelper: this.credentialsHelper,
			...Object.fromEntries(URLS.map((name) => [name, 'http://localhost:5678/'])),
		} as unknown as IWorkflowExecuteAdditionalData;
	}
}

function toRun(id: string, { status, data }: IRun): Run {
	const runs = (node: string) => data.resultData.runData[node] ?? [];
	return {
		id,
		status,
		error: data.resultData.error,
		data,
		runs,
		output: (node) => runs(node).at(-1)?.data?.main?.[0] ?? [],
		hints: (node) => runs(node).flatMap(({ hints = [] }) => hints.map(({ message }) => message)),
	};
}
