import { randomUUID } from 'node:crypto';

import type { Workflow, WorkflowNode } from '../../../examples/demo/client';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const OURS = 'n8n-nodes-agent-skills';

/** What differs between the workflows of the tests. */
export interface AgentOptions {
	version: number;
	credential: string;
	/** Folder of the Skills Source, unless `source` says where its skills are. */
	skillsPath?: string;
	source?: { parameters: Record<string, unknown>; credentials?: Record<string, object> };
	/** Skills Sources underneath, the uppermost first, each the "Base Skills" of the one before. */
	layers?: Array<Record<string, unknown>>;
	/** A node between the trigger and the catalog. */
	before?: { type: string; version: number; parameters: Record<string, unknown> };
	loader?: Record<string, unknown>;
	catalog?: Record<string, unknown>;
	agent?: Record<string, unknown>;
	memory?: boolean;
	/** The memory node at "Shared State" of catalog and loader; it may be the agent's as well. */
	sharedState?: { type: string; version: number; agent?: boolean } & Pick<
		WorkflowNode,
		'parameters'
	> & { credentials?: Record<string, object> };
	/** Adds a node after the agent that fails when the message contains "fail". */
	failing?: boolean;
	/** Adds an AI Agent Tool with a Skill Loader Tool of its own. */
	subAgent?: { loader: Record<string, unknown> };
	/** Adds a Skill Library as a tool, with these parameters. */
	library?: Record<string, unknown>;
	settings?: Record<string, unknown>;
	/** Adds whatever else the workflow needs. */
	extend?: (builder: WorkflowBuilder) => void;
}

/** A node of a test's workflow. */
export interface NodeSpec {
	name: string;
	type: string;
	version: number;
	parameters: Record<string, unknown>;
}

/** A chat workflow: catalog, agent, model, loader and source, and the id of its webhook. */
export function agentWorkflow(options: AgentOptions): { workflow: Workflow; webhookId: string } {
	const builder = new WorkflowBuilder(options.credential);
	const webhookId = randomUUID();
	builder.add(
		'Chat',
		`${LANGCHAIN}.chatTrigger`,
		1.3,
		{ public: true, options: {} },
		{ webhookId },
	);
	builder.add('Catalog', `${OURS}.skillCatalogPrompt`, 1, options.catalog ?? {});
	builder.agent('Agent', `${LANGCHAIN}.agent`, options.version, options.agent);
	builder.add('Loader', `${OURS}.skillLoader`, 1, options.loader ?? {});
	const sources = { source: [{ path: options.skillsPath, label: '' }] };
	const { parameters = { sources }, credentials } = options.source ?? {};
	builder.add('Source', `${OURS}.skillsSource`, 1, parameters, { credentials });
	addLayers(builder, options.layers ?? []);
	if (options.before === undefined) builder.connect('Chat', 'main', 'Catalog');
	else addBefore(builder, options.before);
	builder.connect('Catalog', 'main', 'Agent');
	builder.connect('Loader', 'ai_tool', 'Agent');
	builder.connect('Source', 'ai_document', 'Catalog');
	builder.connect('Source', 'ai_document', 'Loader');
	if (options.memory !== false) {
		builder.add('Memory', `${LANGCHAIN}.memoryBufferWindow`, 1.3, {});
		builder.connect('Memory', 'ai_memory', 'Agent');
	}
	if (options.sharedState !== undefined) addSharedState(builder, options.sharedState);
	if (options.library !== undefined) {
		builder.add('Library', `${OURS}.skillLibraryTool`, 1, options.library);
		builder.connect('Library', 'ai_tool', 'Agent');
	}
	if (options.failing === true) addFailingNode(builder);
	options.extend?.(builder);
	if (options.subAgent !== undefined) addSubAgent(builder, options);
	const settings = { executionOrder: 'v1', ...options.settings };
	return { workflow: builder.build(`Agent ${options.version} ${webhookId}`, settings), webhookId };
}

function addLayers(builder: WorkflowBuilder, layers: Array<Record<string, unknown>>): void {
	layers.forEach((parameters, index) => {
		const above = index === 0 ? 'Source' : `Layer ${index}`;
		builder.add(`Layer ${index + 1}`, `${OURS}.skillsSource`, 1, parameters);
		builder.connect(`Layer ${index + 1}`, 'ai_document', above);
	});
}

function addBefore(builder: WorkflowBuilder, node: NonNullable<AgentOptions['before']>): void {
	builder.add('Before', node.type, node.version, node.parameters);
	builder.connect('Chat', 'main', 'Before');
	builder.connect('Before', 'main', 'Catalog');
}

function addSharedState(
	builder: WorkflowBuilder,
	node: NonNullable<AgentOptions['sharedState']>,
): void {
	const { type, version, parameters, credentials, agent } = node;
	builder.add('Shared State', `${LANGCHAIN}.${type}`, version, parameters, { credentials });
	for (const user of ['Catalog', 'Loader', ...(agent === true ? ['Agent'] : [])]) {
		builder.connect('Shared State', 'ai_memory', user);
	}
}

function addFailingNode(builder: WorkflowBuilder): void {
	const parameters = { errorMessage: 'Failed on purpose' };
	addBranch(builder, 'fail', [
		{ name: 'Stop', type: 'n8n-nodes-base.stopAndError', version: 1, parameters },
	]);
}

/** Adds a chain of nodes behind the agent that runs when the message contains a word. */
export function addBranch(builder: WorkflowBuilder, word: string, nodes: NodeSpec[]): void {
	const condition = `={{ $("Chat").item.json.chatInput.includes("${word}") }}`;
	const conditions = {
		options: { caseSensitive: true, typeValidation: 'loose', version: 2 },
		combinator: 'and',
		conditions: [
			{
				leftValue: condition,
				rightValue: true,
				operator: { type: 'boolean', operation: 'true', singleValue: true },
			},
		],
	};
	const gate = `Is it "${word}"?`;
	builder.add(gate, 'n8n-nodes-base.if', 2.2, { conditions, options: {} });
	builder.connect('Agent', 'main', gate);
	let before = gate;
	for (const { name, type, version, parameters } of nodes) {
		builder.add(name, type, version, parameters);
		builder.connect(before, 'main', name);
		before = name;
	}
}

function addSubAgent(builder: WorkflowBuilder, options: AgentOptions): void {
	const version = options.version >= 3 ? 3 : 2.2;
	builder.agent('Helper', `${LANGCHAIN}.agentTool`, version, {
		toolDescription: 'Passes a task to the helper',
		text: "={{ $fromAI('task', 'What to do', 'string') }}",
		options: { systemMessage: 'HELPER' },
	});
	builder.add('Helper Loader', `${OURS}.skillLoader`, 1, options.subAgent?.loader ?? {});
	builder.connect('Helper Loader', 'ai_tool', 'Helper');
	builder.connect('Source', 'ai_document', 'Helper Loader');
	builder.connect('Helper', 'ai_tool', 'Agent');
}

/** Puts a workflow together, node by node. */
export class WorkflowBuilder {
	private readonly nodes: WorkflowNode[] = [];

	private readonly connections: Record<string, Record<string, object[][]>> = {};

	constructor(private readonly credential = '') {}

	add(
		name: string,
		type: string,
		typeVersion: number,
		parameters: Record<string, unknown>,
		further: object = {},
	): void {
		const position: [number, number] = [this.nodes.length * 200, 0];
		this.nodes.push({
			id: randomUUID(),
			name,
			type,
			typeVersion,
			position,
			parameters,
			...further,
		});
	}

	agent(name: string, type: string, version: number, parameters: object = {}): void {
		const options = { systemMessage: '={{ $json.skillsPrompt }}' };
		this.add(name, type, version, { options, ...parameters });
		const model = { __rl: true, mode: 'id', value: 'test' };
		const openAiApi = { id: this.credential, name: 'Test model' };
		const chosen = { model, responsesApiEnabled: false, options: { maxRetries: 0 } };
		this.add(`${name} Model`, `${LANGCHAIN}.lmChatOpenAi`, 1.3, chosen, {
			credentials: { openAiApi },
		});
		this.connect(`${name} Model`, 'ai_languageModel', name);
	}

	connect(from: string, type: string, to: string): void {
		const outputs = (this.connections[from] ??= {});
		const [first] = (outputs[type] ??= [[]]);
		first.push({ node: to, type, index: 0 });
	}

	build(name: string, settings: Record<string, unknown>): Workflow {
		return { name, nodes: this.nodes, connections: this.connections, settings };
	}
}
