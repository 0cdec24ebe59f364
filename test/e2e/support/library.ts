import { randomUUID } from 'node:crypto';

import type { Execution, Workflow } from '../../../examples/demo/client';
import type { Bench } from './bench';

const OURS = 'n8n-nodes-agent-skills';

/** Parameters of a Skill Library node, and what else is on it. */
export interface LibraryNode {
	parameters: Record<string, unknown>;
	credentials?: Record<string, object>;
	/** Parameters of a Skills Source under it. */
	source?: Record<string, unknown>;
	onError?: string;
}

/** What a chain of Skill Library nodes made of a request. */
export interface LibraryRun {
	execution: Execution;
	/** What the last node has put out. */
	items: Array<{ json: Record<string, unknown>; binary?: Record<string, object> }>;
	error?: string;
}

type Item = LibraryRun['items'][number];

/** Runs Skill Library nodes one after the other in production, started by a webhook. */
export async function runLibrary(
	{ client }: Bench,
	nodes: LibraryNode[],
	body: object = {},
): Promise<LibraryRun> {
	const path = randomUUID();
	const { id } = await client.createWorkflow(libraryWorkflow(path, nodes));
	await client.activate(id);
	await client.callWebhook(path, body);
	const execution = await client.lastExecution(id);
	await client.deactivate(id);
	const { runData, error } = execution.data.resultData;
	const last = runData[`Library ${nodes.length}`]?.at(-1)?.data?.main?.[0] ?? [];
	return { execution, items: last as Item[], error: error?.message };
}

function libraryWorkflow(path: string, nodes: LibraryNode[]): Workflow {
	const common = { typeVersion: 1, position: [0, 0] as [number, number] };
	const workflow: Workflow = {
		name: `Library ${path}`,
		settings: { executionOrder: 'v1' },
		nodes: [
			{
				...common,
				id: randomUUID(),
				name: 'Webhook',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				webhookId: randomUUID(),
				parameters: { path, httpMethod: 'POST', responseMode: 'lastNode' },
			},
		],
		connections: {},
	};
	nodes.forEach(({ source, ...node }, index) => {
		const name = `Library ${index + 1}`;
		const type = `${OURS}.skillLibrary`;
		workflow.nodes.push({ ...common, ...node, id: randomUUID(), name, type });
		const main = [[{ node: name, type: 'main', index: 0 }]];
		workflow.connections[index === 0 ? 'Webhook' : `Library ${index}`] = { main };
		if (source === undefined) return;
		const below = { ...common, id: randomUUID(), name: `Source ${index + 1}`, parameters: source };
		workflow.nodes.push({ ...below, type: `${OURS}.skillsSource` });
		const skills = [[{ node: name, type: 'ai_document', index: 0 }]];
		workflow.connections[below.name] = { ai_document: skills };
	});
	return workflow;
}

/** Does one operation and gives back what it put out; an error is thrown. */
export async function library(
	bench: Bench,
	resource: string,
	operation: string,
	parameters: Record<string, unknown> = {},
	more: Partial<LibraryNode> = {},
): Promise<Item[]> {
	const node = { parameters: { resource, operation, ...parameters }, ...more };
	const { items, error } = await runLibrary(bench, [node]);
	if (error !== undefined) throw new Error(error);
	return items;
}

/** Names a skill in the parameter "Skill". */
export const named = (value: string) => ({ skill: { __rl: true, mode: 'name', value } });

/** The parameters that make a skill. */
export const newSkill = (skillName: string, instructions: string, more: object = {}) => ({
	skillName,
	skillDescription: `Does ${skillName}. Use when ${skillName} is asked for.`,
	instructions,
	...more,
});
