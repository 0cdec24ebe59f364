import { randomUUID } from 'node:crypto';

import type { N8nClient } from '../../../examples/demo/client';
import { WorkflowBuilder } from './workflows';

/** A workflow in production behind a webhook. */
export interface Flow {
	workflowId: string;
	/** Runs it once, with this as the body of the request. */
	ask(body?: object): Promise<FlowAnswer>;
	stop(): Promise<void>;
}

/** What a request was answered. */
export interface FlowAnswer {
	status: number;
	/** The id of the run; absent when it failed. */
	execution?: string;
	/** What the last node has put out; none when it failed. */
	items: Array<Record<string, unknown>>;
}

/** Starts a workflow that goes on from its node "Webhook": `add` names the last of its nodes. */
export async function startFlow(
	client: N8nClient,
	add: (builder: WorkflowBuilder) => string,
): Promise<Flow> {
	const path = randomUUID();
	const builder = new WorkflowBuilder();
	builder.add(
		'Webhook',
		'n8n-nodes-base.webhook',
		2,
		{ path, httpMethod: 'POST', responseMode: 'lastNode' },
		{ webhookId: randomUUID() },
	);
	addAnswer(builder, add(builder));
	const workflow = builder.build(`Flow ${path}`, { executionOrder: 'v1' });
	const { id: workflowId } = await client.createWorkflow(workflow);
	await client.activate(workflowId);
	return {
		workflowId,
		async ask(body = {}) {
			const { status, body: answer } = await client.callWebhook(path, body);
			return { status, items: [], ...(status === 200 ? (answer as object) : {}) };
		},
		stop: async () => await client.deactivate(workflowId),
	};
}

// A webhook answers with one item, and without the id of the run.
function addAnswer(builder: WorkflowBuilder, last: string): void {
	const items = `$('${last}').all().map(({ json }) => json)`;
	const jsonOutput = `={{ { execution: $execution.id, items: ${items} } }}`;
	const parameters = { mode: 'raw', jsonOutput, options: {} };
	builder.add('Answer', 'n8n-nodes-base.set', 3.4, parameters, { executeOnce: true });
	builder.connect(last, 'main', 'Answer');
}
