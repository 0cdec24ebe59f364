import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Workflow, WorkflowNode } from './client';

const TEMPLATE = join(__dirname, '..', 'demo-agent.json');

/** What a person's copy of the demo workflow needs: where the skills are, and which model answers. */
export interface WorkflowFilling {
	skillsFolder: string;
	model: string;
	credential: { id: string; name: string };
}

/** The demo workflow, as in the importable example, filled in for this machine. */
export function demoWorkflow(filling: WorkflowFilling): Workflow {
	const workflow = JSON.parse(readFileSync(TEMPLATE, 'utf8')) as Workflow;
	parametersOf(workflow, 'Skills Source').sources = {
		source: [{ path: filling.skillsFolder, label: '' }],
	};
	useModel(workflow, filling);
	return workflow;
}

/** Sets model and credential on every OpenAI model of the workflow and tells if that changed it. */
export function useModel(
	workflow: Workflow,
	{ model, credential }: Pick<WorkflowFilling, 'model' | 'credential'>,
): boolean {
	const before = JSON.stringify(workflow.nodes);
	const models = workflow.nodes.filter(({ type }) => type.endsWith('.lmChatOpenAi'));
	for (const node of models) {
		node.parameters.model = { __rl: true, mode: 'id', value: model };
		node.credentials = { openAiApi: { ...credential } };
	}
	return JSON.stringify(workflow.nodes) !== before;
}

function parametersOf(workflow: Workflow, name: string): WorkflowNode['parameters'] {
	const node = workflow.nodes.find((candidate) => candidate.name === name);
	if (node === undefined) throw new Error(`The demo workflow has no node "${name}"`);
	return node.parameters;
}
