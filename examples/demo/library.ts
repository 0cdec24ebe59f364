import { randomUUID } from 'node:crypto';

import type { N8nClient, Workflow, WorkflowNode } from './client';
import { DemoError } from './process';
import { demoWorkflow, type WorkflowFilling } from './workflow';

/** The name of the workflow in which an agent uses the skill library. */
export const LIBRARY_DEMO = 'Skill library demo';
const LIBRARY_TYPE = 'n8n-nodes-agent-skills.skillLibrary';
const NOTE = `## An agent with skills from a database
The **Skill Library** holds the example skills. **Skills Source** offers them to the agent: public ones, those of the system, and the user's own.

Run **Change the Library** below: it adds a skill for the user "demo" and lists what the library holds. Then ask the agent: *Which rules do we have for release notes?*`;

const RELEASE_NOTES = `Write release notes that people read.

1. Collect what changed since the last release. Leave out what no user can notice.
2. Sort into **New**, **Changed**, **Fixed**; what breaks something comes first, with what to do about it.
3. One line each: what the user can do now, then why it matters. No internal names, no ticket numbers.
4. Give numbers where there are some ("twice as fast on 10,000 rows"), never adjectives instead.
5. Ask who the readers are when it is not clear, and which version it is.`;

/** Fills the library with the example skills and makes its workflow, where that was not done yet. */
export async function seedLibrary(client: N8nClient, filling: WorkflowFilling): Promise<void> {
	if ((await client.workflows()).some(({ name }) => name === LIBRARY_DEMO)) return;
	await fillLibrary(client, filling.skillsFolder);
	await client.createWorkflow(libraryWorkflow(filling));
}

/** The demo workflow with the library in the place of the folder, and a branch that changes it. */
export function libraryWorkflow(filling: WorkflowFilling): Workflow {
	const workflow = demoWorkflow(filling);
	workflow.name = LIBRARY_DEMO;
	for (const node of workflow.nodes) {
		if (node.type.endsWith('.chatTrigger')) node.webhookId = randomUUID();
		if (node.type.endsWith('.skillsSource')) node.parameters = { backend: 'library', user: 'demo' };
		if (node.type.endsWith('.stickyNote')) node.parameters.content = NOTE;
	}
	workflow.nodes.push(
		place('Change the Library', 'n8n-nodes-base.manualTrigger', [0, 640], {}),
		place('Add a Skill', LIBRARY_TYPE, [224, 640], {
			resource: 'skill',
			operation: 'create',
			user: 'demo',
			skillName: 'release-notes',
			skillDescription:
				'Rules for release notes and changelogs. Use when the user wants to announce a new version.',
			instructions: RELEASE_NOTES,
			tags: 'writing',
		}),
		place('List Skills', LIBRARY_TYPE, [448, 640], {
			resource: 'format',
			operation: 'list',
			user: 'demo',
		}),
	);
	// The second run finds the skill there, and shall list it all the same.
	workflow.nodes[workflow.nodes.length - 2].onError = 'continueRegularOutput';
	const to = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });
	Object.assign(workflow.connections, {
		'Change the Library': to('Add a Skill'),
		'Add a Skill': to('List Skills'),
	});
	return workflow;
}

/** Imports the example skills by the node itself, in a workflow that is gone afterwards. */
async function fillLibrary(client: N8nClient, folder: string): Promise<void> {
	const path = randomUUID();
	const { id } = await client.createWorkflow({
		name: 'Fill the skill library',
		settings: { executionOrder: 'v1' },
		nodes: [
			{
				...place('Start', 'n8n-nodes-base.webhook', [0, 0], {
					path,
					httpMethod: 'POST',
					responseMode: 'lastNode',
				}),
				typeVersion: 2,
				webhookId: path,
			},
			place('Import', LIBRARY_TYPE, [224, 0], {
				resource: 'transfer',
				operation: 'import',
				actAsAdministrator: true,
				importFrom: 'folder',
				folder,
				importVisibility: 'system',
			}),
		],
		connections: { Start: { main: [[{ node: 'Import', type: 'main', index: 0 }]] } },
	});
	await client.activate(id);
	const { status, body } = await client.callWebhook(path, {});
	await client.send('POST', `/rest/workflows/${id}/archive`);
	await client.send('DELETE', `/rest/workflows/${id}`);
	if (status !== 200) {
		throw new DemoError(`The skill library could not be filled: ${JSON.stringify(body)}`);
	}
}

function place(
	name: string,
	type: string,
	position: [number, number],
	parameters: WorkflowNode['parameters'],
): WorkflowNode {
	return { id: randomUUID(), name, type, typeVersion: 1, position, parameters };
}
