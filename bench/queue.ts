import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nClient } from '../examples/demo/client';
import { createScriptedModel, systemText, type ScriptedModel } from '../examples/demo/model';
import { installPackage } from '../examples/demo/pack';
import { ensureRuntime } from '../examples/demo/runtime';
import { startServer } from '../examples/demo/server';
import { startQueueWorld } from '../test/e2e/queue/support/world';
import {
	DONE,
	load,
	loadedIn,
	OWNER,
	startConversation,
	type Conversation,
} from '../test/e2e/support/bench';
import { createSkillFolder, type SkillFolder } from '../test/e2e/support/skills';
import { median } from './measure';

const LIMIT = 1.15;
const WARM_UP = 10;
const ROUNDS = 60;
const SKILL = 'skill-7';

/** What was measured of one mode, and how many loads the next turn knew of. */
interface Mode {
	/** Median milliseconds. */
	turn: number;
	/** Median, over the rounds, of its time over that of the first mode. */
	over: number;
	kept: number;
	asked: number;
}

/** Turns of one workflow. */
interface Turns {
	/** A new conversation: catalog, load, answer. */
	start(): Promise<void>;
	/** Goes on with each of the conversations, and tells how many know what was loaded in them. */
	look(): Promise<Pick<Mode, 'kept' | 'asked'>>;
}

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

function turnsOf(client: N8nClient, model: ScriptedModel, { webhookId }: Conversation): Turns {
	let sessions = 0;
	const say = async (session: number, text: string) => {
		const { status } = await client.chat(webhookId, `bench-${session}`, text);
		if (status !== 200) throw new Error(`The turn was answered with ${status}`);
	};
	return {
		async start() {
			model.script(({ messages }) =>
				messages.some(({ role }) => role === 'tool') ? DONE : load(SKILL),
			);
			await say(sessions++, 'load');
		},
		async look() {
			let kept = 0;
			model.script((request) => {
				if (loadedIn(systemText(request)).includes(SKILL)) kept++;
				return DONE;
			});
			for (let session = 0; session < sessions; session++) await say(session, 'look');
			return { kept, asked: sessions };
		},
	};
}

/** Measures turns of each mode, one after the other, so that a slow moment of the machine hits all. */
async function measure(modes: Record<string, Turns>): Promise<Record<string, Mode>> {
	const times = Object.fromEntries(Object.keys(modes).map((name) => [name, [] as number[]]));
	for (let round = -WARM_UP; round < ROUNDS; round++) {
		for (const [name, { start }] of Object.entries(modes)) {
			const began = performance.now();
			await start();
			if (round >= 0) times[name].push(performance.now() - began);
		}
	}
	const measured: Record<string, Mode> = {};
	const [first] = Object.values(times);
	for (const [name, { look }] of Object.entries(modes)) {
		const over = median(times[name].map((time, round) => time / first[round]));
		measured[name] = { turn: median(times[name]), over, ...(await look()) };
	}
	return measured;
}

/** Measures a single n8n, for comparison. */
async function measureRegular(): Promise<Record<string, Mode>> {
	const home = mkdtempSync(join(tmpdir(), 'agent-skills-bench-'));
	mkdirSync(join(home, '.n8n-files'));
	await installPackage(home);
	const env = { HOME: home, USERPROFILE: home };
	const server = await startServer(await ensureRuntime(), { userFolder: home, env });
	const model = await createScriptedModel();
	try {
		const client = new N8nClient(server.url);
		await client.signIn(OWNER);
		const access = { apiKey: 'bench', url: model.url };
		const credential = await client.createCredential('Model', 'openAiApi', access);
		const skillsPath = writeSkills(createSkillFolder(home));
		const options = { version: 3.1, memory: false, skillsPath, credential };
		const chat = await startConversation(client, model, options);
		return await measure({ regular: turnsOf(client, model, chat) });
	} finally {
		await server.stop();
		await model.stop();
		rmSync(home, { recursive: true, force: true });
	}
}

/** Measures queue mode, without Shared State and with it in two stores. */
async function measureQueue(): Promise<Record<string, Mode>> {
	const world = await startQueueWorld();
	try {
		const common = { version: 3.1, memory: false, skillsPath: writeSkills(world.createSkills()) };
		const stores = {
			without: undefined,
			postgres: world.memory('postgres'),
			redis: world.memory('redis'),
		};
		const modes: Record<string, Turns> = {};
		for (const [name, sharedState] of Object.entries(stores)) {
			const chat = await world.start({ ...common, sharedState });
			modes[name] = turnsOf(world.client, world.model, chat);
		}
		return await measure(modes);
	} finally {
		await world.stop();
	}
}

/** Gives back what Shared State costs a turn in queue mode, and its limit. */
export async function measureTurns() {
	const queue = { ...(await measureQueue()), ...(await measureRegular()) };
	const sharedStateTurn = Math.max(queue.postgres.over, queue.redis.over);
	return { figures: { sharedStateTurn }, limits: { sharedStateTurn: LIMIT }, queue };
}
