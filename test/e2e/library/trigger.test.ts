import { randomUUID } from 'node:crypto';

import { openBench, type Bench } from '../support/bench';
import { library, newSkill } from '../support/library';

// n8n polls once a minute at most.
const ONE_POLL_MS = 75_000;
const LOOK_EVERY_MS = 500;

let bench: Bench;

beforeAll(async () => {
	bench = await openBench();
});

afterAll(async () => {
	await bench.close();
});

async function started(workflowId: string): Promise<string[]> {
	const ids = await bench.client.executionIds(workflowId);
	const names = ids.map(async (id) => {
		const { data } = await bench.client.execution(id);
		const items = data.resultData.runData.Watch[0].data?.main[0] ?? [];
		return items.map(
			({ json }) => `${String(json.event)} ${(json.skill as { name: string }).name}`,
		);
	});
	return (await Promise.all(names.reverse())).flat();
}

async function waitFor(workflowId: string, amount: number): Promise<string[]> {
	const deadline = Date.now() + ONE_POLL_MS;
	for (;;) {
		const names = await started(workflowId);
		if (names.length >= amount || Date.now() > deadline) return names;
		await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
	}
}

it('starts the workflow once for each change, also for those around a restart', async () => {
	const tag = randomUUID();
	const { id } = await bench.client.createWorkflow({
		name: 'Watch the library',
		settings: { executionOrder: 'v1' },
		nodes: [
			{
				id: randomUUID(),
				name: 'Watch',
				type: 'n8n-nodes-agent-skills.skillLibraryTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: { pollTimes: { item: [{ mode: 'everyMinute' }] }, filters: { tags: tag } },
			},
		],
		connections: {},
	});
	const create = async (name: string) =>
		await library(bench, 'skill', 'create', {
			user: 'anna',
			...newSkill(name, 'Text.', { tags: tag, visibility: 'public' }),
		});
	await create(`before-${tag.slice(0, 8)}`);
	await bench.client.activate(id);
	await create(`first-${tag.slice(0, 8)}`);
	await bench.restartN8n();
	const first = [`created first-${tag.slice(0, 8)}`];
	expect(await waitFor(id, 1)).toEqual(first);
	await create(`second-${tag.slice(0, 8)}`);
	await bench.restartN8n();
	expect(await waitFor(id, 2)).toEqual([...first, `created second-${tag.slice(0, 8)}`]);
});
