import type { Execution } from '../../../examples/demo/client';
import type { Bench } from './bench';
import { startFlow, type Flow } from './flow';

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

/** An n8n in which Skill Library nodes run. */
type Place = Pick<Bench, 'client'>;

/** Runs Skill Library nodes one after the other in production, started by a webhook. */
export async function runLibrary(
	{ client }: Place,
	nodes: LibraryNode[],
	body: object = {},
): Promise<LibraryRun> {
	const flow = await startLibrary({ client }, nodes);
	await flow.ask(body);
	const execution = await client.lastExecution(flow.workflowId);
	await flow.stop();
	const { runData, error } = execution.data.resultData;
	const last = runData[`Library ${nodes.length}`]?.at(-1)?.data?.main?.[0] ?? [];
	return { execution, items: last as Item[], error: error?.message };
}

/** Starts Skill Library nodes one after the other in production, to be run any number of times. */
export async function startLibrary({ client }: Place, nodes: LibraryNode[]): Promise<Flow> {
	return await startFlow(client, (builder) => {
		let last = 'Webhook';
		nodes.forEach(({ source, parameters, ...further }, index) => {
			const name = `Library ${index + 1}`;
			builder.add(name, `${OURS}.skillLibrary`, 1, parameters, further);
			builder.connect(last, 'main', name);
			last = name;
			if (source === undefined) return;
			builder.add(`Source ${index + 1}`, `${OURS}.skillsSource`, 1, source);
			builder.connect(`Source ${index + 1}`, 'ai_document', name);
		});
		return last;
	});
}

/** Does one operation and gives back what it put out; an error is thrown. */
export async function library(
	place: Place,
	resource: string,
	operation: string,
	parameters: Record<string, unknown> = {},
	more: Partial<LibraryNode> = {},
): Promise<Item[]> {
	const node = { parameters: { resource, operation, ...parameters }, ...more };
	const { items, error } = await runLibrary(place, [node]);
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
