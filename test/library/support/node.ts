import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { SavedWorkflow } from '../../engine/support/host';
import { executeContext, type Situation } from '../../shared/support/contexts';

import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { closeLibraries } from '../../../nodes/shared/library/database';
import { runLibrary } from '../../../nodes/shared/library/run';

/** What a test of the node may set beside its parameters. */
export interface NodeRun extends Partial<Situation> {
	onError?: INode['onError'];
	/** The time zone of the workflow. */
	timezone?: string;
	/** The node is the tool of an agent. */
	asTool?: boolean;
}

/** Gives every test a library of its own in a folder that is gone afterwards. */
export function useFreshLibrary(): void {
	let folder: string;
	const before = process.env.N8N_USER_FOLDER;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'agent-skills-library-'));
		process.env.N8N_USER_FOLDER = folder;
	});
	afterEach(async () => {
		await closeLibraries();
		process.env.N8N_USER_FOLDER = before;
		rmSync(folder, { recursive: true, force: true });
	});
}

/** Gives back a workflow of a trigger and the Skill Library node. */
export function libraryWorkflow(parameters: IDataObject, run: NodeRun = {}): SavedWorkflow {
	const type = `n8n-nodes-agent-skills.skillLibrary${run.asTool ? 'Tool' : ''}`;
	const common = { typeVersion: 1, position: [0, 0] as [number, number] };
	const trigger = { ...common, id: 't', name: 'Trigger', type: 'test.trigger', parameters: {} };
	const library = { ...common, id: 'l', name: 'Library', type, parameters, onError: run.onError };
	const main = [[{ node: 'Library', type: 'main' as const, index: 0 }]];
	return {
		id: 'library-workflow',
		nodes: [trigger, library] as INode[],
		connections: { Trigger: { main } },
		...(run.timezone ? { settings: { timezone: run.timezone } } : {}),
	};
}

/** Runs an operation of the node, and gives back its items. */
export async function items(
	resource: string,
	operation: string,
	parameters: IDataObject = {},
	run: NodeRun = {},
): Promise<INodeExecutionData[]> {
	const workflow = libraryWorkflow({ resource, operation, ...parameters }, run);
	const context = executeContext(workflow, { node: 'Library', ...run });
	const [output] = await runLibrary(context);
	return output;
}

/** Runs an operation of the node, and gives back the data of its items. */
export async function records(...call: Parameters<typeof items>): Promise<IDataObject[]> {
	return (await items(...call)).map(({ json }) => json);
}

/** Names a skill in the parameter "Skill". */
export const named = (value: string) => ({ skill: { __rl: true, mode: 'name', value } });
