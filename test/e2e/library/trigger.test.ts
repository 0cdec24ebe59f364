import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { REPOSITORY } from '../../../examples/demo/pack';
import { openBench, type Bench } from '../support/bench';
import { library, named, newSkill } from '../support/library';
import { readWorld } from '../support/world';

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

/** Changes the library past n8n, as another program does while n8n is down. */
function changeMeanwhile(change: string): void {
	const { runtime, home } = readWorld();
	const script = `
		const { openSqlite } = require(process.argv[1]);
		openSqlite(process.argv[2]).then(async (database) => {
			const anna = database.as({ user: 'anna', isAdministrator: false });
			${change}
			await database.close();
		});
	`;
	const module = join(REPOSITORY, 'dist/nodes/core/library/sqlite.js');
	const file = join(home, '.n8n/agent-skills-library.sqlite');
	const args = ['--no-warnings', '-e', script, module, file];
	const { status, stderr } = spawnSync(runtime.node, args, { encoding: 'utf8' });
	if (status !== 0) throw new Error(stderr);
}

it('starts the workflow once for each change, also for those while n8n was down', async () => {
	const tag = randomUUID();
	const [before, first, down] = ['before', 'first', 'down'].map(
		(name) => `${name}-${tag.slice(0, 8)}`,
	);
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
	await create(before);
	await bench.client.activate(id);
	await create(first);
	await bench.restartN8n(() =>
		changeMeanwhile(`
			const name = ${JSON.stringify(first)};
			await anna.update({ name }, { content: 'New.' });
			const skill = { description: 'Made past n8n.', content: 'Text.', isPublic: true };
			await anna.create({ ...skill, name: ${JSON.stringify(down)}, tags: ['${tag}'] });
		`),
	);
	const expected = [`created ${first}`, `updated ${first}`, `created ${down}`];
	expect(await waitFor(id, expected.length)).toEqual(expected);
	await library(bench, 'skill', 'delete', { user: 'anna', ...named(before) });
	await bench.restartN8n();
	expected.push(`deleted ${before}`);
	expect(await waitFor(id, expected.length)).toEqual(expected);
});
