import { randomUUID } from 'node:crypto';

import type { WorkflowNode } from '../../../examples/demo/client';
import { openBench, type Bench } from '../support/bench';
import { openEditor, type Editor } from '../support/browser';
import { library, newSkill } from '../support/library';

const OURS = 'n8n-nodes-agent-skills';

let bench: Bench;
let editor: Editor;

const node = (
	name: string,
	type: string,
	position: [number, number],
	parameters: Record<string, unknown>,
): WorkflowNode => ({ id: randomUUID(), name, type, typeVersion: 1, position, parameters });

beforeAll(async () => {
	bench = await openBench();
	const isPublic = { visibility: 'public', tags: 'finance' };
	await library(bench, 'skill', 'create', {
		user: 'anna',
		...newSkill('vat-check', 'Check the VAT number first.', isPublic),
	});
	const { id } = await bench.client.createWorkflow({
		name: 'Keep our skills',
		settings: { executionOrder: 'v1' },
		nodes: [
			node('Skill Library Trigger', `${OURS}.skillLibraryTrigger`, [0, 0], {
				pollTimes: { item: [{ mode: 'everyMinute' }] },
			}),
			node('When clicked', 'n8n-nodes-base.manualTrigger', [0, 200], {}),
			node('Search', `${OURS}.skillLibrary`, [220, 200], { user: 'anna', search: 'vat' }),
			node('Create', `${OURS}.skillLibrary`, [220, 0], { operation: 'create' }),
			node('Get', `${OURS}.skillLibrary`, [440, 0], { operation: 'get', user: 'anna' }),
			node('Import', `${OURS}.skillLibrary`, [660, 0], {
				resource: 'transfer',
				operation: 'import',
				importFrom: 'source',
			}),
			node('Sync', `${OURS}.skillLibrary`, [1040, 0], { resource: 'sync', operation: 'toFolder' }),
			node('Skills Source', `${OURS}.skillsSource`, [660, 240], { backend: 'library' }),
			node('Tool', `${OURS}.skillLibraryTool`, [440, 240], { operation: 'get' }),
		],
		connections: {
			'When clicked': { main: [[{ node: 'Search', type: 'main', index: 0 }]] },
			'Skills Source': { ai_document: [[{ node: 'Import', type: 'ai_document', index: 0 }]] },
		},
	});
	editor = await openEditor();
	await editor.openWorkflow(id);
	editor.takeErrors();
});

afterAll(async () => {
	await editor?.close();
	await bench?.close();
});

const panel = async (name: string, look: () => Promise<void>) => {
	await editor.node(name).dblclick();
	await editor.page.getByTestId('node-parameters').waitFor();
	try {
		await look();
	} finally {
		await editor.screenshot(`library-${name.toLowerCase().replaceAll(' ', '-')}`);
		await editor.page
			.getByTestId('ndv-close-button')
			.or(editor.page.getByTitle('Close'))
			.first()
			.click();
		await editor.page.getByTestId('ndv').waitFor({ state: 'hidden' });
	}
	expect(editor.takeErrors()).toEqual([]);
};

it('shows all nodes on the canvas, with what they do', async () => {
	await editor.screenshot('library-canvas');
	expect(await editor.node('Search').innerText()).toContain('getAll: skill');
});

it.each([
	['Skill Library Trigger', 'Trigger On'],
	['Create', 'Skill Description'],
	['Import', 'Import From'],
	['Sync', 'Skills to Sync'],
	['Skills Source', 'Skill Names'],
	['Tool', 'Act as Administrator'],
])('opens the panel of %s without console errors', async (name, label) => {
	await panel(name, async () => {
		await editor.page.getByTestId('node-parameters').getByText(label, { exact: true }).waitFor();
	});
});

it('offers the skills of the library to choose from', async () => {
	await panel('Get', async () => {
		const locator = editor.page.getByTestId('resource-locator-skill');
		await locator.getByTestId('rlc-input-container').click();
		await editor.page.getByText('vat-check (anna)').first().waitFor();
	});
});

it('searches when it is run, and shows what it found', async () => {
	await panel('Search', async () => {
		await editor.page.getByTestId('node-execute-button').click();
		await editor.page.getByTestId('output-panel').getByText('vat-check').first().waitFor();
	});
});

it('is found by its name on a canvas without AI, where n8n hides AI nodes', async () => {
	const { id } = await bench.client.createWorkflow({
		name: 'Without AI',
		nodes: [node('When clicked', 'n8n-nodes-base.manualTrigger', [0, 0], {})],
		connections: {},
	});
	await editor.openWorkflow(id);
	await editor.page.getByTestId('node-creator-plus-button').click();
	await editor.page.getByTestId('node-creator-search-bar').fill('skill library');
	await editor.page.getByText('Keeps skills for AI Agents in a database').waitFor();
	expect(await editor.offered()).toEqual(['Skill Library']);
	await editor.screenshot('library-node-creator');
});
