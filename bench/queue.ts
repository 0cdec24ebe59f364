import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nClient } from '../examples/demo/client';
import { createScriptedModel } from '../examples/demo/model';
import { installPackage } from '../examples/demo/pack';
import { ensureRuntime } from '../examples/demo/runtime';
import { startServer } from '../examples/demo/server';
import { startQueueWorld } from '../test/e2e/queue/support/world';
import { DONE, load, OWNER, startConversation, type Conversation } from '../test/e2e/support/bench';
import { createSkillFolder, type SkillFolder } from '../test/e2e/support/skills';
import { median } from './measure';

const LIMIT = 1.15;
const WARM_UP = 10;
const ROUNDS = 60;
const RESULTS = join(__dirname, 'results.json');

/** One turn of a new conversation: catalog, load, answer. */
type Turn = () => Promise<unknown>;

function writeSkills(skills: SkillFolder): string {
	for (let index = 0; index < 20; index++) {
		skills.write(
			`skill-${index}`,
			`Does task ${index}.`,
			'Read the input line by line.\n'.repeat(80),
		);
	}
	return skills.path;
}

function turnOf(client: N8nClient, { webhookId }: Conversation): Turn {
	let sessions = 0;
	return async () => {
		const { status } = await client.chat(webhookId, `bench-${sessions++}`, 'load skill-7');
		if (status !== 200) throw new Error(`The turn was answered with ${status}`);
	};
}

/** Median milliseconds of each, in turns, so that a slow moment of the machine hits all. */
async function interleaved(turns: Record<string, Turn>): Promise<Record<string, number>> {
	const times = Object.fromEntries(Object.keys(turns).map((name) => [name, [] as number[]]));
	for (let round = -WARM_UP; round < ROUNDS; round++) {
		for (const [name, turn] of Object.entries(turns)) {
			const start = performance.now();
			await turn();
			if (round >= 0) times[name].push(performance.now() - start);
		}
	}
	return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

/** Times a turn in a single n8n, for comparison. */
async function measureRegular(): Promise<number> {
	const home = mkdtempSync(join(tmpdir(), 'agent-skills-bench-'));
	mkdirSync(join(home, '.n8n-files'));
	await installPackage(home);
	const env = { HOME: home, USERPROFILE: home };
	const server = await startServer(await ensureRuntime(), { userFolder: home, env });
	const model = await createScriptedModel(script);
	try {
		const client = new N8nClient(server.url);
		await client.signIn(OWNER);
		const access = { apiKey: 'bench', url: model.url };
		const credential = await client.createCredential('Model', 'openAiApi', access);
		const skillsPath = writeSkills(createSkillFolder(home));
		const options = { version: 3.1, memory: false, skillsPath, credential };
		const chat = await startConversation(client, model, options);
		return (await interleaved({ regular: turnOf(client, chat) })).regular;
	} finally {
		await server.stop();
		await model.stop();
		rmSync(home, { recursive: true, force: true });
	}
}

const script = ({ messages }: { messages: Array<{ role: string }> }) =>
	messages.some(({ role }) => role === 'tool') ? DONE : load('skill-7');

/** Times the same turn in queue mode, without Shared State and with it in two stores. */
async function measureQueue(): Promise<Record<string, number>> {
	const world = await startQueueWorld();
	try {
		world.model.script(script);
		const common = { version: 3.1, memory: false, skillsPath: writeSkills(world.createSkills()) };
		const stores = {
			without: undefined,
			postgres: world.memory('postgres'),
			redis: world.memory('redis'),
		};
		const turns: Record<string, Turn> = {};
		for (const [name, sharedState] of Object.entries(stores)) {
			turns[name] = turnOf(world.client, await world.start({ ...common, sharedState }));
		}
		return await interleaved(turns);
	} finally {
		await world.stop();
	}
}

/** Measures turns in queue mode, adds the figures to the results, and gives back an exit code. */
export async function benchQueue(): Promise<number> {
	const turns = { ...(await measureQueue()), regular: await measureRegular() };
	const { without, postgres, redis } = turns as Record<string, number>;
	const sharedStateTurn = Math.max(postgres, redis) / without;
	const results = JSON.parse(readFileSync(RESULTS, 'utf8')) as { summary: object };
	const report = {
		...results,
		summary: { ...results.summary, sharedStateTurn },
		queueTurns: turns,
	};
	writeFileSync(RESULTS, `${JSON.stringify(report, null, '\t')}\n`);
	console.log(
		`a turn with catalog and load: ${Object.entries(turns)
			.map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`)
			.join(', ')}`,
	);
	const isOk = sharedStateTurn <= LIMIT;
	console.log(
		`${isOk ? 'ok  ' : 'MISS'} sharedStateTurn ${sharedStateTurn.toFixed(2)} (at most ${LIMIT})`,
	);
	console.log(JSON.stringify({ sharedStateTurn: Number(sharedStateTurn.toFixed(3)) }));
	return isOk ? 0 : 1;
}
