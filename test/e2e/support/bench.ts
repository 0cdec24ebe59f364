import { spawnSync } from 'node:child_process';

import { N8nClient } from '../../../examples/demo/client';
import type { Execution, NodeRun } from '../../../examples/demo/client';
import { createScriptedModel, plainResult, systemText, textOf } from '../../../examples/demo/model';
import type {
	ChatRequest,
	Script,
	ScriptedModel,
	ToolCall,
	Turn,
} from '../../../examples/demo/model';
import { agentWorkflow } from './workflows';
import type { AgentOptions } from './workflows';
import { readWorld } from './world';

/** The account that the tests use on the shared n8n. */
export const OWNER = { email: 'test@example.com', password: 'Test-1234' };

/** What one chat message led to. */
export interface Reply {
	status: number;
	answer: string;
	/** The system message of the first request to the model. */
	system: string;
	/** What each tool call of this message was answered, in order, as the model saw it. */
	results: string[];
	requests: ChatRequest[];
	execution: Execution;
	runs(node: string): NodeRun[];
}

/** A workflow in production that a test talks to. */
export interface Conversation {
	workflowId: string;
	webhookId: string;
	say(message: string, script: Script, session?: string): Promise<Reply>;
	/** The workflow's static data, read from n8n's database. */
	staticData(): string;
}

/** A signed-in client and a scripted model for one test file. */
export interface Bench {
	client: N8nClient;
	model: ScriptedModel;
	credential: string;
	start(options: Omit<AgentOptions, 'credential'>): Promise<Conversation>;
	/** A workflow's static data, read from n8n's database. */
	staticData(workflowId: string): string;
	/** Ends n8n, does what is to be done meanwhile, and starts it again. */
	restartN8n(meanwhile?: () => void): Promise<void>;
	close(): Promise<void>;
}

/** A turn in which the model calls one tool. */
export function use(name: string, args: ToolCall['args']): Turn {
	return { calls: [{ name, args }] };
}

/** A turn in which the model loads a skill. */
export function load(skill: string): Turn {
	return use('load_skill', { skill_name: skill });
}

/** A turn in which the model unloads a skill. */
export function unload(skill: string): Turn {
	return use('unload_skill', { skill_name: skill });
}

/** The turn that ends a message. */
export const DONE: Turn = { text: 'done' };

/** The names of the skills that the catalog of a prompt marks as loaded. */
export function loadedIn(system: string): string[] {
	return [...system.matchAll(/^- \*\*([^*\n]+)\*\*[^:\n]*\[Loaded\]/gmu)].map(([, name]) => name);
}

/** The names of the loaded skills that a workflow's static data holds, by session. */
export function storedSkills(staticData: string): Map<string, string[]> {
	type Stored = { sessions: Array<{ session: string; loaded: Array<{ name: string }> }> };
	const { global } = JSON.parse(staticData || '{}') as { global?: { agentSkills?: Stored } };
	const sessions = global?.agentSkills?.sessions ?? [];
	return new Map(
		sessions.map(({ session, loaded }) => [
			session.replace(/^session:/u, ''),
			loaded.map(({ name }) => name),
		]),
	);
}

/** Signs in on the shared n8n and starts a model for this test file. */
export async function openBench(): Promise<Bench> {
	const world = readWorld();
	const client = new N8nClient(world.url);
	await client.signIn(OWNER);
	const model = await createScriptedModel();
	const access = { apiKey: 'test', url: model.url };
	const credential = await client.createCredential('Test model', 'openAiApi', access);
	return {
		client,
		model,
		credential,
		start: async (options) => await startConversation(client, model, { ...options, credential }),
		staticData: readStaticData,
		async restartN8n(meanwhile = () => undefined) {
			const control = async (order: string) => {
				const answer = await fetch(`${world.control}/${order}`, { method: 'POST' });
				if (!answer.ok) throw new Error(await answer.text());
			};
			await control('stop');
			try {
				meanwhile();
			} finally {
				await control('start');
			}
		},
		close: async () => await model.stop(),
	};
}

/** Puts a workflow into production on any n8n, and gives back how to talk to it. */
export async function startConversation(
	client: N8nClient,
	model: ScriptedModel,
	options: AgentOptions,
): Promise<Conversation> {
	const { workflow, webhookId } = agentWorkflow(options);
	const { id: workflowId } = await client.createWorkflow(workflow);
	await client.activate(workflowId);
	return {
		workflowId,
		webhookId,
		async say(message, script, session = 'session-1') {
			model.script(script);
			const { status, body } = await client.chat(webhookId, session, message);
			const requests = [...model.requests];
			const execution = await client.lastExecution(workflowId);
			return {
				status,
				answer: (body as { output?: string }).output ?? JSON.stringify(body),
				system: requests[0] === undefined ? '' : systemText(requests[0]),
				results: resultsOf(requests.at(-1)),
				requests,
				execution,
				runs: (node) => execution.data.resultData.runData[node] ?? [],
			};
		},
		staticData: () => readStaticData(workflowId),
	};
}

function resultsOf(request: ChatRequest | undefined): string[] {
	const messages = request?.messages ?? [];
	const last = messages.map(({ role }) => role).lastIndexOf('user');
	const results = messages.slice(last + 1).filter(({ role }) => role === 'tool');
	return results.map((message) => plainResult(textOf(message)));
}

function readStaticData(workflowId: string): string {
	const { runtime, database } = readWorld();
	const script = `
		const { DatabaseSync } = require('node:sqlite');
		const database = new DatabaseSync(process.argv[1], { readOnly: true });
		const find = 'SELECT "staticData" AS data FROM "workflow_entity" WHERE "id" = ?';
		process.stdout.write(database.prepare(find).get(process.argv[2]).data ?? '');
	`;
	const args = ['--no-warnings', '-e', script, database, workflowId];
	const { status, stdout, stderr } = spawnSync(runtime.node, args, { encoding: 'utf8' });
	if (status !== 0) throw new Error(stderr);
	return stdout;
}
