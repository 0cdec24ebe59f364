import { parseFlatted } from './flatted';
import { DemoError, sleep } from './process';

const WEBHOOK_READY_AT_MOST_MS = 15_000;
const EXECUTION_AT_MOST_MS = 60_000;
const REQUEST_AT_MOST_MS = 120_000;
const POLL_MS = 200;

/** Who signs in. */
export interface Owner {
	email: string;
	password: string;
}

/** A workflow as n8n's REST interface takes and gives it. */
export interface Workflow {
	id?: string;
	versionId?: string;
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	staticData?: Record<string, unknown> | null;
	[key: string]: unknown;
}

/** A node of a workflow. */
export interface WorkflowNode {
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	[key: string]: unknown;
}

/** One finished run with everything its nodes did. */
export interface Execution {
	id: string;
	status: string;
	mode: string;
	data: { resultData: { runData: Record<string, NodeRun[]>; error?: { message: string } } };
}

/** One run of one node. */
export interface NodeRun {
	executionStatus: string;
	hints?: Array<{ message: string; type?: string }>;
	error?: { message: string; description?: string };
	data?: Record<string, Array<Array<{ json: Record<string, unknown> }> | null>>;
	inputOverride?: Record<string, unknown>;
}

/** A small client for the REST interface that n8n's own editor uses. */
export class N8nClient {
	private cookie = '';

	constructor(readonly url: string) {}

	/** Creates the owner on a new n8n, or signs in on one that has it. */
	async signIn(owner: Owner): Promise<void> {
		const settings = await this.get<{ userManagement: { showSetupOnFirstLoad?: boolean } }>(
			'/rest/settings',
		);
		if (settings.userManagement.showSetupOnFirstLoad === true) {
			const name = { firstName: 'Demo', lastName: 'Owner' };
			await this.send('POST', '/rest/owner/setup', { ...owner, ...name });
		}
		const { email, password } = owner;
		await this.send('POST', '/rest/login', { emailOrLdapLoginId: email, password });
	}

	/** The id of a new credential. */
	async createCredential(name: string, type: string, data: object): Promise<string> {
		const body = { name, type, data };
		return (await this.send<{ id: string }>('POST', '/rest/credentials', body)).id;
	}

	/** Replaces the values of a credential. */
	async updateCredential(id: string, name: string, type: string, data: object): Promise<void> {
		await this.send('PATCH', `/rest/credentials/${id}`, { name, type, data });
	}

	/** What pressing "Test" says of a stored credential with these values. */
	async testCredential(
		id: string,
		type: string,
		data: object,
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		const credentials = { id, name: type, type, data };
		return await this.send('POST', '/rest/credentials/test', { credentials });
	}

	/** Every credential, without its secrets. */
	async credentials(): Promise<Array<{ id: string; name: string; type: string }>> {
		return await this.get('/rest/credentials');
	}

	/** The new workflow with its id. */
	async createWorkflow(workflow: Workflow): Promise<Workflow & { id: string }> {
		return await this.send('POST', '/rest/workflows', workflow);
	}

	/** The workflow as it is stored now. */
	async workflow(id: string): Promise<Workflow & { id: string; active: boolean }> {
		return await this.get(`/rest/workflows/${id}`);
	}

	/** Every workflow, without its nodes. */
	async workflows(): Promise<Array<{ id: string; name: string }>> {
		return await this.get('/rest/workflows');
	}

	/** Stores changes of a workflow. */
	async updateWorkflow(id: string, change: Partial<Workflow>): Promise<Workflow> {
		const { versionId } = await this.workflow(id);
		return await this.send('PATCH', `/rest/workflows/${id}`, { versionId, ...change });
	}

	/** Publishes the current version, so that its production webhooks answer. */
	async activate(id: string): Promise<void> {
		const { versionId } = await this.workflow(id);
		await this.send('POST', `/rest/workflows/${id}/activate`, { versionId });
	}

	/** Takes a workflow out of production. */
	async deactivate(id: string): Promise<void> {
		await this.send('POST', `/rest/workflows/${id}/deactivate`, {});
	}

	/** What a production webhook answers; waits for it to be registered. */
	async callWebhook(path: string, body: object): Promise<{ status: number; body: unknown }> {
		const deadline = Date.now() + WEBHOOK_READY_AT_MOST_MS;
		for (;;) {
			const answer = await this.request('POST', `/webhook/${path}`, body);
			const text = await answer.text();
			// Activation answers before the webhook is there.
			const missing = answer.status === 404 && text.includes('not registered');
			if (!missing || Date.now() > deadline) return { status: answer.status, body: parse(text) };
			await sleep(POLL_MS);
		}
	}

	/** Sends a message to a chat trigger, as a person who types in the chat. */
	async chat(
		webhookId: string,
		sessionId: string,
		chatInput: string,
	): Promise<{ status: number; body: unknown }> {
		const body = { action: 'sendMessage', sessionId, chatInput };
		return await this.callWebhook(`${webhookId}/chat`, body);
	}

	/** Runs a workflow from its trigger with this item, as the chat of the editor does; the run, ended. */
	async runFrom(workflowId: string, trigger: string, json: object): Promise<Execution> {
		const run = { startTime: Date.now(), executionTime: 0, executionIndex: 0, source: [] };
		const data = { ...run, executionStatus: 'success', data: { main: [[{ json }]] } };
		const { executionId } = await this.send<{ executionId: string }>(
			'POST',
			`/rest/workflows/${workflowId}/run`,
			{ triggerToStartFrom: { name: trigger, data } },
		);
		return await this.execution(executionId);
	}

	/** The ids of a workflow's runs, newest first. */
	async executionIds(workflowId: string): Promise<string[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const page = await this.get<{ results: Array<{ id: string }> }>(
			`/rest/executions?filter=${filter}&limit=100`,
		);
		return page.results.map(({ id }) => id);
	}

	/** A run with its data, once it has ended. */
	async execution(id: string): Promise<Execution> {
		const deadline = Date.now() + EXECUTION_AT_MOST_MS;
		for (;;) {
			const found = await this.get<Omit<Execution, 'data'> & { data: string }>(
				`/rest/executions/${id}`,
			);
			const ended = !['new', 'running', 'waiting'].includes(found.status);
			if (ended) return { ...found, data: parseFlatted(found.data) as Execution['data'] };
			if (Date.now() > deadline) throw new DemoError(`Execution ${id} is still ${found.status}`);
			await sleep(POLL_MS);
		}
	}

	/** The newest run of a workflow. */
	async lastExecution(workflowId: string): Promise<Execution> {
		const [id] = await this.executionIds(workflowId);
		if (id === undefined) throw new DemoError(`Workflow ${workflowId} has no executions`);
		return await this.execution(id);
	}

	/** The descriptions of every node type that n8n knows. */
	async nodeTypes(): Promise<Array<{ name: string; displayName: string; [key: string]: unknown }>> {
		const answer = await this.request('GET', '/types/nodes.json');
		return (await answer.json()) as Array<{ name: string; displayName: string }>;
	}

	/** The cookie of the signed-in owner, for a browser. */
	session(): { name: string; value: string } {
		const [name, value] = this.cookie.split('=', 2);
		return { name, value };
	}

	/** What a GET answers. */
	async get<T>(path: string): Promise<T> {
		return await this.send<T>('GET', path);
	}

	/** What a request answers; an error status throws with n8n's own message. */
	async send<T>(method: string, path: string, body?: object): Promise<T> {
		const answer = await this.request(method, path, body);
		const text = await answer.text();
		if (!answer.ok) throw new DemoError(`${method} ${path}: ${answer.status} ${text}`);
		return (parse(text) as { data: T }).data;
	}

	private async request(method: string, path: string, body?: object): Promise<Response> {
		const answer = await fetch(`${this.url}${path}`, {
			method,
			headers: { 'content-type': 'application/json', cookie: this.cookie },
			body: body === undefined ? undefined : JSON.stringify(body),
			signal: AbortSignal.timeout(REQUEST_AT_MOST_MS),
		});
		const set = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('n8n-auth='));
		if (set !== undefined) this.cookie = set.split(';')[0];
		return answer;
	}
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}
