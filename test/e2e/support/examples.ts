import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Workflow, WorkflowNode } from '../../../examples/demo/client';
import { REPOSITORY } from '../../../examples/demo/pack';

const FOLDER = join(REPOSITORY, 'examples');

/** The file names of all workflows that a person can import. */
export const EXAMPLES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

/** An example as it is in its file. */
export function readExample(name: string): Workflow {
	return JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Workflow;
}

/** The node of that name in a workflow. */
export function nodeOf({ nodes }: Workflow, name: string): WorkflowNode {
	const found = nodes.find((node) => node.name === name);
	if (found === undefined) throw new Error(`The workflow has no node "${name}"`);
	return found;
}

/** Sets the folder of the workflow's Skills Source, as a person does after importing it. */
export function useSkills(workflow: Workflow, path: string): void {
	nodeOf(workflow, 'Skills Source').parameters.sources = { source: [{ path, label: '' }] };
}
