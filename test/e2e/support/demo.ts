import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { MODEL_NAME, standInTurn, startModelServer } from '../../../examples/demo/model';
import type { ModelServer } from '../../../examples/demo/model';
import { REPOSITORY } from '../../../examples/demo/pack';
import { copySkills } from '../../../examples/demo/skills';
import { demoWorkflow } from '../../../examples/demo/workflow';
import type { Bench } from './bench';
import { readWorld } from './world';

/** The demo workflow on the shared n8n, with the stand-in model behind it. */
export interface DemoOnBench {
	workflowId: string;
	webhookId: string;
	skillsFolder: string;
	model: ModelServer;
}

/** Sets the demo up as `npm start` does; its chat is public, so that a test can call it. */
export async function startDemoOnBench(bench: Bench): Promise<DemoOnBench> {
	const files = join(readWorld().home, '.n8n-files');
	const skillsFolder = join(files, `demo-${randomUUID()}`);
	copySkills(join(REPOSITORY, 'examples', 'skills'), skillsFolder, `${skillsFolder}.json`);
	const model = await startModelServer(standInTurn);
	const access = { apiKey: 'not-needed', url: model.url };
	const name = `Demo model ${randomUUID()}`;
	const id = await bench.client.createCredential(name, 'openAiApi', access);
	const workflow = demoWorkflow({ skillsFolder, model: MODEL_NAME, credential: { id, name } });
	const [trigger] = workflow.nodes.filter(({ type }) => type.endsWith('.chatTrigger'));
	const webhookId = randomUUID();
	trigger.webhookId = webhookId;
	trigger.parameters.public = true;
	const { id: workflowId } = await bench.client.createWorkflow(workflow);
	await bench.client.activate(workflowId);
	return { workflowId, webhookId, skillsFolder, model };
}
