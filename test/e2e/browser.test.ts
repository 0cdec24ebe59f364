import { randomUUID } from 'node:crypto';

import { openBench, type Bench } from './support/bench';
import { openEditor, type Editor } from './support/browser';
import { startDemoOnBench, type DemoOnBench } from './support/demo';

let bench: Bench;
let demo: DemoOnBench;
let editor: Editor;

beforeAll(async () => {
	bench = await openBench();
	demo = await startDemoOnBench(bench);
	editor = await openEditor();
});

afterAll(async () => {
	await editor?.close();
	await demo?.model.stop();
	await bench?.close();
});

describe('a new workflow on the canvas', () => {
	beforeAll(async () => {
		const langchain = '@n8n/n8n-nodes-langchain';
		const { id } = await bench.client.createWorkflow({
			name: 'Built by hand',
			settings: { executionOrder: 'v1' },
			nodes: [
				{
					id: 'chat',
					name: 'Chat',
					type: `${langchain}.chatTrigger`,
					typeVersion: 1.3,
					position: [0, 0],
					parameters: {},
					webhookId: randomUUID(),
				},
				{
					id: 'agent',
					name: 'AI Agent',
					type: `${langchain}.agent`,
					typeVersion: 3.1,
					position: [640, 0],
					parameters: {},
				},
			],
			connections: {},
		});
		await editor.openWorkflow(id);
	});

	afterEach(async () => {
		await editor.page.keyboard.press('Escape');
	});

	it('finds the nodes by searching for "skill"', async () => {
		await editor.page.getByTestId('node-creator-plus-button').click();
		await editor.page.getByTestId('node-creator-search-bar').fill('skill');
		await editor.page.getByText('Skill Loader Tool', { exact: true }).waitFor();
		expect(await editor.offered()).toEqual(
			expect.arrayContaining([
				'Skill Catalog Prompt',
				'Skill Library',
				'Skill Loader Tool',
				'Skills Source',
			]),
		);
		await editor.screenshot('node-creator');
		await editor.add('Skill Catalog Prompt');
	});

	it('offers the catalog, which belongs there, at the "+" behind the trigger', async () => {
		await editor.node('Chat').getByTestId('canvas-handle-plus').first().click();
		await editor.page.getByTestId('node-creator-search-bar').fill('skill catalog');
		await editor.page.getByText('Skill Catalog Prompt', { exact: true }).waitFor();
		expect(await editor.offered()).toEqual(['Skill Catalog Prompt']);
	});

	it('offers Skills Source, and only that, at the "+" under Skills of the catalog', async () => {
		await editor.page.getByTestId('zoom-to-fit').click();
		await editor.plus('Skill Catalog Prompt', 'ai_document').click();
		expect(await editor.offered()).toEqual(['Skills Source']);
		await editor.add('Skills Source');
	});

	it('offers Skill Loader Tool among the tools of an AI Agent', async () => {
		await editor.page.getByTestId('zoom-to-fit').click();
		await editor.plus('AI Agent', 'ai_tool').click();
		await editor.page.getByTestId('node-creator-search-bar').fill('skill');
		await editor.page.getByText('Skill Loader Tool', { exact: true }).waitFor();
		await editor.add('Skill Loader Tool');
	});

	it('offers Skills Source, and only that, at the "+" under Skills of the loader', async () => {
		await editor.page.getByTestId('zoom-to-fit').click();
		await editor.plus('Skill Loader Tool', 'ai_document').click();
		expect(await editor.offered()).toEqual(['Skills Source']);
	});

	it('offers chat memories at the "+" under Shared State, but none that rewrites its entries', async () => {
		for (const name of ['Skill Catalog Prompt', 'Skill Loader Tool']) {
			await editor.page.getByTestId('zoom-to-fit').click();
			await editor.plus(name, 'ai_memory').click();
			const offered = await editor.offered();
			expect(offered).toEqual(
				expect.arrayContaining(['Postgres Chat Memory', 'Redis Chat Memory']),
			);
			expect(offered.filter((one) => /zep|motorhead/i.test(one))).toEqual([]);
			await editor.page.keyboard.press('Escape');
		}
	});

	it('has wired what was dropped', async () => {
		const edges = await editor.page.getByTestId('edge').evaluateAll((found) =>
			found.map((edge) => {
				const from = edge.getAttribute('data-source-node-name');
				return `${from} → ${edge.getAttribute('data-target-node-name')}`;
			}),
		);
		expect(edges).toEqual(
			expect.arrayContaining([
				'Skills Source → Skill Catalog Prompt',
				'Skill Loader Tool → AI Agent',
			]),
		);
		expect(editor.takeErrors()).toEqual([]);
	});
});

describe('the demo workflow', () => {
	beforeAll(async () => {
		await editor.openWorkflow(demo.workflowId);
		editor.takeErrors();
	});

	it('shows all of its nodes', async () => {
		for (const name of ['Skill Catalog Prompt', 'Skill Loader Tool', 'Skills Source']) {
			expect(await editor.node(name).isVisible()).toBe(true);
		}
		await editor.screenshot('demo-canvas');
	});

	it.each(['Skills Source', 'Skill Catalog Prompt', 'Skill Loader Tool'])(
		'opens the panel of %s without console errors',
		async (name) => {
			await editor.node(name).dblclick();
			await editor.page.getByTestId('node-parameters').waitFor();
			await editor.screenshot(`panel-${name.toLowerCase().replaceAll(' ', '-')}`);
			await editor.page.keyboard.press('Escape');
			await editor.page.getByTestId('ndv').waitFor({ state: 'hidden' });
			expect(editor.takeErrors()).toEqual([]);
		},
	);

	it('answers in the chat', async () => {
		await editor.page.getByTestId('workflow-chat-button').click();
		const input = editor.page.getByTestId('canvas-chat').locator('textarea');
		await input.fill('Which cron expression runs at 9 on workdays?');
		await input.press('Enter');
		const answer = editor.page.getByTestId('canvas-chat').getByText('I chose the skill');
		await answer.waitFor({ timeout: 60_000 });
		expect(await answer.innerText()).toContain('cron-schedule');
		await editor.screenshot('demo-chat');
	});

	it("shows the tool's run and its hint in the logs", async () => {
		// The logs choose an entry themselves, and a click on the chosen one closes it again.
		await editor.page.getByTestId('log-details').waitFor();
		const logs = editor.page.getByTestId('logs-overview-body');
		await logs.getByText('AI Agent').first().click();
		await logs.getByText('Skill Loader Tool').first().click();
		const hint = editor.page.getByTestId('node-hint').first();
		await hint.waitFor().finally(() => editor.screenshot('demo-logs'));
		expect(await hint.innerText()).toContain('The skill "cron-schedule" has been activated');
		expect(editor.takeErrors()).toEqual([]);
	});
});

describe('the demo workflow with Shared State', () => {
	it('shows one memory node below catalog and loader', async () => {
		const { nodes, connections, settings } = await bench.client.workflow(demo.workflowId);
		const name = 'Postgres Chat Memory';
		const [loader] = nodes.filter((node) => node.type.endsWith('.skillLoader'));
		const [catalog] = nodes.filter((node) => node.type.endsWith('.skillCatalogPrompt'));
		const { position } = nodes.filter((node) => node.type.endsWith('.skillsSource'))[0];
		const memory = {
			id: randomUUID(),
			name,
			type: '@n8n/n8n-nodes-langchain.memoryPostgresChat',
			typeVersion: 1.4,
			position: [position[0] + 260, position[1]] as [number, number],
			parameters: {},
		};
		const users = [catalog, loader].map((user) => ({
			node: user.name,
			type: 'ai_memory',
			index: 0,
		}));
		const { id } = await bench.client.createWorkflow({
			name: 'Demo with Shared State',
			nodes: [...nodes, memory],
			connections: { ...connections, [name]: { ai_memory: [users] } },
			settings,
		});
		await editor.openWorkflow(id);
		const edges = editor.page.locator(`[data-test-id=edge][data-source-node-name="${name}"]`);
		expect(await edges.count()).toBe(2);
		await editor.screenshot('queue-mode');
	});
});
