import {
	CHAT_TRIGGER_NODE_TYPE,
	NodeConnectionTypes,
	type IConnections,
	type IDataObject,
	type INode,
	type NodeConnectionType,
} from 'n8n-workflow';

import { models, type Call, type Model, type SeenTool } from './agents';
import type { Host, Run, SavedWorkflow, Start } from './host';

/** The two ways in which n8n's agents run tools. */
export type AgentWay = 'agentV3' | 'agentV2';

/** Both ways, for `describe.each`. */
export const AGENT_WAYS: Array<[string, AgentWay]> = [
	['AI Agent 3', 'agentV3'],
	['AI Agent 1 and 2', 'agentV2'],
];

/** Parameters of the nodes in the usual picture; null leaves the node out. */
export interface Picture {
	id?: string;
	trigger?: string;
	agent?: AgentWay;
	source?: IDataObject | null;
	base?: IDataObject;
	catalog?: IDataObject | null;
	loader?: IDataObject | null;
	/** A second loader, under an AI Agent Tool. */
	subLoader?: IDataObject;
	/** A memory node, and the nodes whose "Shared State" it is: catalog and loader unless told. */
	sharedState?: IDataObject;
	sharedStateOf?: string[];
	/** Another node that writes static data. */
	other?: boolean;
}

const OURS = 'n8n-nodes-agent-skills.';
const { AiDocument, AiMemory, AiTool, Main } = NodeConnectionTypes;

/** Collects nodes and connections. */
class Canvas {
	readonly nodes: INode[] = [];
	readonly connections: IConnections = {};

	add(name: string, type: string, parameters: IDataObject = {}, extra: Partial<INode> = {}): void {
		const position: [number, number] = [this.nodes.length * 100, 0];
		const node = { id: name, name, type, typeVersion: 1, position, parameters, ...extra };
		this.nodes.push(node as INode);
	}

	connect(from: string, to: string, type: NodeConnectionType): void {
		const outputs = ((this.connections[from] ??= {})[type] ??= [[]]);
		(outputs[0] ??= []).push({ node: to, type, index: 0 });
	}
}

let workflows = 0;

/** Gives back the workflow of the design's first picture: trigger, catalog, agent, loader, source. */
export function picture(options: Picture = {}): SavedWorkflow {
	const {
		catalog = {},
		loader = {},
		source = {},
		agent = 'agentV3',
		trigger = 'Trigger',
	} = options;
	const canvas = new Canvas();
	canvas.add(trigger, trigger === 'Trigger' ? 'test.trigger' : CHAT_TRIGGER_NODE_TYPE);
	const chain = [trigger];
	if (options.other) {
		canvas.add('Other', 'test.noOp', { touchStaticData: true });
		chain.push('Other');
	}
	if (catalog) {
		canvas.add('Catalog', `${OURS}skillCatalogPrompt`, catalog);
		chain.push('Catalog');
	}
	canvas.add('Agent', `test.${agent}`, { system: '={{ $json.skillsPrompt }}' });
	chain.push('Agent');
	chain.slice(1).forEach((name, index) => canvas.connect(chain[index], name, Main));
	if (loader) {
		canvas.add('Loader', `${OURS}skillLoader`, loader);
		canvas.connect('Loader', 'Agent', AiTool);
	}
	if (options.subLoader) addSubAgent(canvas, options.subLoader);
	if (source) addSource(canvas, source, options.base);
	if (options.sharedState) {
		canvas.add('Memory', 'test.memory', options.sharedState);
		const users = options.sharedStateOf ?? ['Catalog', 'Loader'];
		for (const user of users) canvas.connect('Memory', user, AiMemory);
	}
	const { nodes, connections } = canvas;
	return { id: options.id ?? `workflow-${++workflows}`, nodes, connections };
}

function addSubAgent(canvas: Canvas, subLoader: IDataObject): void {
	canvas.add('SubAgent', 'test.agentTool');
	canvas.add('SubLoader', `${OURS}skillLoader`, subLoader);
	canvas.connect('SubLoader', 'SubAgent', AiTool);
	canvas.connect('SubAgent', 'Agent', AiTool);
}

function addSource(canvas: Canvas, source: IDataObject, base?: IDataObject): void {
	canvas.add('Source', `${OURS}skillsSource`, source);
	for (const user of ['Catalog', 'Loader', 'SubLoader']) {
		if (canvas.nodes.some(({ name }) => name === user)) canvas.connect('Source', user, AiDocument);
	}
	if (!base) return;
	canvas.add('Base', `${OURS}skillsSource`, base);
	canvas.connect('Base', 'Source', AiDocument);
}

/** Gives back the parameters of a Skills Source over folders of the disk. */
export function folders(paths: string | string[], options: IDataObject = {}): IDataObject {
	const source = [paths].flat().map((path) => ({ path, label: '' }));
	return { backend: 'filesystem', sources: { source }, options };
}

/** Gives back the parameters of a Skills Source over skills typed into it: name to instructions. */
export function typed(skills: Record<string, string>, options: IDataObject = {}): IDataObject {
	const skill = Object.entries(skills).map(([name, instructions]) => ({
		name,
		description: `Does ${name}.`,
		instructions,
		files: {},
	}));
	return { backend: 'data', dataFrom: 'form', skills: { skill }, options };
}

/** What became of one message. */
export interface Reply extends Run {
	/** What the tools answered, in order, for the first item. */
	answers: string[];
	answersOf(item: number): string[];
	system: string;
	tools: SeenTool[];
}

let runs = 0;

/** Runs the picture once: the model makes the given turns. */
export async function say(
	host: Host,
	saved: SavedWorkflow,
	model: Model,
	start: Start & { subModel?: Model } = {},
): Promise<Reply> {
	const id = String(++runs);
	models.set(id, model);
	models.set(`sub-${id}`, start.subModel ?? []);
	const workflow = structuredClone(saved);
	for (const { name, parameters } of workflow.nodes) {
		if (name === 'Agent') parameters.model = id;
		if (name === 'SubAgent') parameters.model = `sub-${id}`;
	}
	const run = await host.run(workflow, start);
	const outputs = run.output('Agent').map(({ json }) => json as unknown as Reply);
	return {
		...run,
		answers: outputs[0]?.answers ?? [],
		answersOf: (item) => outputs[item]?.answers ?? [],
		system: outputs[0]?.system ?? '',
		tools: outputs[0]?.tools ?? [],
	};
}

/** Gives back the call that loads a skill. */
export function load(name: string, extra: IDataObject = {}): Call {
	return { tool: 'load_skill', args: { skill_name: name, ...extra } };
}

/** Gives back the call that unloads a skill. */
export function unload(name: string): Call {
	return { tool: 'unload_skill', args: { skill_name: name } };
}

/** Gives back the call that reads files of a skill. */
export function read(name: string, ...paths: string[]): Call {
	return { tool: 'read_skill_file', args: { skill_name: name, paths } };
}
