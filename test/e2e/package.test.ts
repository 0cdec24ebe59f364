import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { openBench, type Bench } from './support/bench';
import { readWorld } from './support/world';

const NAME = 'n8n-nodes-agent-skills';

let bench: Bench;

beforeAll(async () => {
	bench = await openBench();
});

afterAll(async () => {
	await bench.close();
});

it('brings the three nodes under the names that users get', async () => {
	const types = await bench.client.nodeTypes();
	const ours = types.filter(({ name }) => name.startsWith(`${NAME}.`));
	expect(ours.map(({ name, displayName }) => [name, displayName]).sort()).toEqual(
		expect.arrayContaining([
			[`${NAME}.skillCatalogPrompt`, 'Skill Catalog Prompt'],
			[`${NAME}.skillLoader`, 'Skill Loader Tool'],
			[`${NAME}.skillsSource`, 'Skills Source'],
		]),
	);
});

it('has an icon for each of them, for light and dark', async () => {
	const types = await bench.client.nodeTypes();
	const ours = types.filter(({ name }) => name.startsWith(`${NAME}.`));
	const urls = ours.flatMap(({ iconUrl }) => Object.values(iconUrl as Record<string, string>));
	const answers = await Promise.all(
		urls.map(async (url) => await fetch(`${bench.client.url}/${url}`)),
	);
	expect(urls.length).toBe(ours.length * 2);
	expect(answers.map(({ status }) => status)).toEqual(urls.map(() => 200));
	for (const answer of answers) expect(await answer.text()).toContain('<svg');
});

it('needs nothing beside itself', () => {
	const folder = join(readWorld().home, '.n8n', 'nodes', 'node_modules');
	expect(readdirSync(folder)).toEqual([NAME]);
	const packageJson = JSON.parse(
		readFileSync(join(folder, NAME, 'package.json'), 'utf8'),
	) as object;
	expect(packageJson).not.toHaveProperty('dependencies');
	expect(readdirSync(join(folder, NAME))).not.toContain('node_modules');
});
