import {
	NodeConnectionTypes,
	NodeOperationError,
	type IConnections,
	type INode,
	type INodeInputConfiguration,
} from 'n8n-workflow';

import { CATALOG_PROMPT_TYPE, LOADER_TYPE, type NodeContext } from './context';
import { memoriesAtSamePlace } from './memory-place';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
/** Keeps its messages in the process. */
const SIMPLE_MEMORY_TYPE = `${LANGCHAIN}.memoryBufferWindow`;
/** Their services rewrite what they are given, and give back something else. */
const UNFIT_TYPES = [`${LANGCHAIN}.memoryMotorhead`, `${LANGCHAIN}.memoryZep`];

/** The input that takes a chat memory of our own to keep the loaded state in. */
export const sharedStateInput: INodeInputConfiguration = {
	displayName: 'Shared State',
	type: NodeConnectionTypes.AiMemory,
	required: false,
	maxConnections: 1,
	filter: { excludedNodes: UNFIT_TYPES },
};

/** The memory node at "Shared State". */
export interface ConnectedMemory {
	name: string;
	/** Only the process that wrote to it can read it. */
	inProcess: boolean;
}

/** What of the execution context we read besides its public methods. */
interface WithWorkflow {
	workflow?: {
		nodes?: Record<string, INode>;
		connectionsBySourceNode?: IConnections;
		getNode(name: string): { type: string } | null;
	};
}

/** Gives back the memory node at "Shared State", or nothing where the input is free. */
export function connectedMemory(context: NodeContext): ConnectedMemory | undefined {
	const { name } = context.getNode();
	const connectionType = NodeConnectionTypes.AiMemory;
	const memories = context.getParentNodes(name, { connectionType, depth: 1 });
	const memory = memories.find(({ disabled }) => !disabled);
	if (!memory) return undefined;
	assertFit(context, memory);
	return { name: memory.name, inProcess: memory.type === SIMPLE_MEMORY_TYPE };
}

/**
 * Refuses a memory that is somebody's conversation: our entries would reach the model, and
 * compacting them would delete the conversation.
 */
function assertFit(context: NodeContext, memory: { name: string; type: string }): void {
	const problem = unfitness(context, memory);
	if (problem === undefined) return;
	// All in the message: of a sub-node's error n8n shows just that.
	throw new NodeOperationError(
		context.getNode(),
		`${problem}. Add a second memory node (for example Postgres Chat Memory or Redis Chat Memory) with a key of its own, and connect that one to "Shared State".`,
	);
}

function unfitness(
	context: NodeContext,
	{ name, type }: { name: string; type: string },
): string | undefined {
	if (UNFIT_TYPES.includes(type)) {
		return `"${name}" cannot be used as Shared State: it does not give back what it was given`;
	}
	const user = otherUser(context, name);
	if (user !== undefined) {
		return `"${name}" is the memory of "${user}" and cannot be Shared State as well`;
	}
	const { workflow } = context as unknown as WithWorkflow;
	const twin = memoriesAtSamePlace(workflow?.nodes ?? {}, name).find(
		(other) => otherUser(context, other) !== undefined,
	);
	if (twin === undefined) return undefined;
	return `"${name}" keeps its messages at the same place and under the same key as "${twin}", the memory of "${otherUser(context, twin)}"`;
}

function otherUser(context: NodeContext, memory: string): string | undefined {
	const { workflow } = context as unknown as WithWorkflow;
	const outputs = workflow?.connectionsBySourceNode?.[memory]?.[NodeConnectionTypes.AiMemory] ?? [];
	return outputs
		.flatMap((targets) => targets ?? [])
		.map(({ node }) => node)
		.find((node) => {
			// A deleted node may have left its connection behind.
			const type = workflow?.getNode(node)?.type ?? LOADER_TYPE;
			return type !== CATALOG_PROMPT_TYPE && type !== LOADER_TYPE;
		});
}
