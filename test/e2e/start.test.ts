import {
	cpSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nClient } from '../../examples/demo/client';
import { createScriptedModel, textOf, type ScriptedModel } from '../../examples/demo/model';
import { REPOSITORY } from '../../examples/demo/pack';
import { freePort, LOOPBACK } from '../../examples/demo/ports';
import { sleep } from '../../examples/demo/process';
import { DONE, load } from './support/bench';
import { startCommand, survivors, type Command } from './support/command';

// Builds are part of it, and other work may keep the machine busy.
const ONE_STEP_AT_MOST_MS = 330_000;

jest.setTimeout(ONE_STEP_AT_MOST_MS);

// Two signals at the very same time would be one.
const BETWEEN_SIGNALS_MS = 50;
const PACKAGE = 'n8n-nodes-agent-skills';
const API_KEY = 'sk-e2e-SECRET-key';
const TRIGGER = 'When chat message received';

/** What the demo tells a person when it is ready. */
interface Announced {
	url: string;
	workflowId: string;
	email: string;
	password: string;
	skills: string;
}

const folder = mkdtempSync(join(tmpdir(), 'agent-skills-start-'));
const data = join(folder, 'data');
const started: Command[] = [];
let port: number;
let first: Announced;

beforeAll(async () => {
	port = (await freePort()) as number;
});

afterAll(async () => {
	const processes = started.flatMap((command) => command.processes());
	for (const command of started) command.kill();
	await survivors(processes);
	rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function run(script: string, env: Record<string, string> = {}, cwd?: string): Command {
	const variables = { AGENT_SKILLS_DEMO_DATA: data, PORT: String(port), ...env };
	const command = startCommand(script, variables, cwd);
	started.push(command);
	return command;
}

async function announced(command: Command): Promise<Announced> {
	await command.until(/Ctrl-C stops everything/);
	const printed = (pattern: RegExp) => command.output().match(pattern)?.[1] ?? '';
	const address = printed(/The demo is ready: +(\S+)/);
	return {
		url: new URL(address).origin,
		workflowId: address.split('/').at(-1) ?? '',
		email: printed(/E-mail +(\S+)/),
		password: printed(/Password +(\S+)/),
		skills: printed(/Skills +(\S+)/),
	};
}

async function signedIn({ url, email, password }: Announced): Promise<N8nClient> {
	const client = new N8nClient(url);
	await client.signIn({ email, password });
	return client;
}

/** What the agent answers in the chat of the editor. */
async function ask(demo: Announced, chatInput: string): Promise<string> {
	const client = await signedIn(demo);
	const item = { action: 'sendMessage', sessionId: 'visitor', chatInput };
	const { status, data: ran } = await client.runFrom(demo.workflowId, TRIGGER, item);
	expect(status).toBe('success');
	const [answer] = ran.resultData.runData['AI Agent'].at(-1)?.data?.main[0] ?? [];
	return String(answer.json.output);
}

/** Presses Ctrl-C and gives back which processes are left when the command has ended. */
async function leftAfterInterrupt(command: Command, signals = 1): Promise<number[]> {
	const processes = command.processes();
	for (let sent = 0; sent < signals; sent++) {
		command.interrupt();
		await sleep(BETWEEN_SIGNALS_MS);
	}
	await command.ended;
	return await survivors(processes);
}

const installedPackage = () => join(data, '.n8n', 'nodes', 'node_modules', PACKAGE);

describe('npm start', () => {
	let demo: Command;

	beforeAll(async () => {
		demo = run('start');
		first = await announced(demo);
	});

	it('builds the package, and tells the address, an account and where the skills are', () => {
		expect(demo.output()).toContain('Building and installing this package');
		expect(first).toMatchObject({
			url: `http://${LOOPBACK}:${port}`,
			workflowId: expect.stringMatching(/^\w+$/),
			email: expect.stringContaining('@'),
			password: expect.stringMatching(/.{8}/),
			skills: join(data, 'skills'),
		});
		const skill = readFileSync(join(first.skills, 'cron-schedule', 'SKILL.md'), 'utf8');
		expect(skill).toContain('name: cron-schedule');
	});

	it('lets one sign in with the printed account only', async () => {
		const client = await signedIn(first);
		expect((await client.workflow(first.workflowId)).name).toBe('Agent Skills demo');
		await expect(signedIn({ ...first, password: 'Wrong-1234' })).rejects.toThrow('401');
	});

	it('answers in the chat with a skill, and says that it is a stand-in', async () => {
		const answer = await ask(first, 'Which cron expression runs at 9 on workdays?');
		expect(answer).toContain('I chose the skill **cron-schedule**');
		expect(answer).toContain('stand-in');
	});

	it('does not start twice on the same data', async () => {
		const other = String(await freePort());
		const second = run('start', { PORT: other });
		expect(await second.ended).not.toBe(0);
		expect(second.output()).toContain(`The demo is running already, with its data in ${data}.`);
	});

	it('names a port that is taken, and another one', async () => {
		const second = run('start', { AGENT_SKILLS_DEMO_DATA: join(folder, 'other') });
		expect(await second.ended).not.toBe(0);
		expect(second.output()).toContain(`Port ${port} is taken`);
		expect(second.output()).toContain(`PORT=${port + 10} npm start`);
	});

	it('ends on Ctrl-C in good order, with all that it started', async () => {
		const processes = demo.processes();
		// npm, the demo, n8n and its task runner at least.
		expect(processes.length).toBeGreaterThanOrEqual(4);
		expect(await leftAfterInterrupt(demo)).toEqual([]);
		expect(demo.output()).toContain('Stopped.');
		expect(await freePort(port)).toBe(port);
	});
});

describe('the next start', () => {
	let model: ScriptedModel;
	let demo: Command;
	let second: Announced;
	let installedBefore: number;

	beforeAll(async () => {
		model = await createScriptedModel();
		installedBefore = statSync(installedPackage()).ino;
		const env = { OPENAI_API_KEY: API_KEY, OPENAI_BASE_URL: model.url, OPENAI_MODEL: 'my-model' };
		demo = run('start', env);
		second = await announced(demo);
	});

	afterAll(async () => await model.stop());

	it('installs and builds nothing again', () => {
		expect(demo.output()).not.toMatch(/Installing|Building|npm install/);
		expect(demo.output()).toContain('Starting n8n');
		expect(statSync(installedPackage()).ino).toBe(installedBefore);
	});

	it('has the same account, workflow and runs', async () => {
		expect(second).toEqual(first);
		const client = await signedIn(second);
		const names = (await client.workflows()).map(({ name }) => name);
		expect(names.sort()).toEqual(['Agent Skills demo', 'Skill library demo']);
		expect(await client.executionIds(second.workflowId)).toHaveLength(1);
	});

	it('asks the model of OPENAI_API_KEY and OPENAI_BASE_URL, and does not show the key', async () => {
		model.script([load('cron-schedule'), DONE]);
		expect(await ask(second, 'Hello')).toBe('done');
		expect(model.requests.map((request) => request.model)).toEqual(['my-model', 'my-model']);
		expect(textOf(model.requests[1].messages.at(-1)!)).toContain('<skill_content');
		expect(demo.output()).toContain(`my-model at ${model.url}`);
		expect(demo.output()).not.toContain(API_KEY);
	});

	it('ends in good order where npm hands the signal on, so that it comes twice', async () => {
		expect(await leftAfterInterrupt(demo, 2)).toEqual([]);
		expect(demo.output()).toContain('Stopped.');
	});
});

it('Ctrl-C while n8n starts leaves nothing behind', async () => {
	const demo = run('start');
	await demo.until(/Starting n8n/);
	expect(await leftAfterInterrupt(demo)).toEqual([]);
	expect(demo.output()).not.toContain('The demo is ready');
});

describe('npm run dev', () => {
	const copy = join(folder, 'repository');
	const source = join(copy, 'nodes', 'SkillsSource', 'SkillsSource.node.ts');
	let demo: Command;
	let dev: Announced;

	// A copy, as this repository's own files are not for a test to change.
	beforeAll(async () => {
		const parts = ['nodes', 'credentials', 'examples', 'package.json', 'tsconfig.json'];
		for (const name of [...parts, 'gulpfile.js', 'LICENSE', 'CHANGELOG.md', 'README.md']) {
			cpSync(join(REPOSITORY, name), join(copy, name), { recursive: true });
		}
		symlinkSync(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
		demo = run('dev', {}, copy);
		dev = await announced(demo);
	});

	const displayName = async () => {
		const types = await (await signedIn(dev)).nodeTypes();
		return types.find(({ name }) => name === `${PACKAGE}.skillsSource`)?.displayName;
	};
	const edit = (from: string, to: string) =>
		writeFileSync(source, readFileSync(source, 'utf8').replace(from, to));

	it('goes on after a change that does not compile', async () => {
		await demo.until(/Watching nodes and credentials/);
		const from = demo.output().length;
		edit('version: 1,', 'version: one,');
		await demo.until(/Cannot find name 'one'[^]*Waiting for the next change/, from);
		expect(await displayName()).toBe('Skills Source');
	});

	it('rebuilds and reloads on a change', async () => {
		const from = demo.output().length;
		edit('version: one,', 'version: 1,');
		edit("displayName: 'Skills Source'", "displayName: 'Changed Source'");
		await demo.until(/Reloaded: refresh the browser/, from);
		expect(await displayName()).toBe('Changed Source');
	});

	it('ends on Ctrl-C', async () => {
		expect(await leftAfterInterrupt(demo)).toEqual([]);
	});
});

describe('the first install of n8n', () => {
	const fresh = () => ({
		AGENT_SKILLS_CACHE: mkdtempSync(join(folder, 'cache-')),
		npm_config_noproxy: LOOPBACK,
	});

	it('ends soon, with a plain message, when the registry cannot be reached', async () => {
		const demo = run('start', { ...fresh(), npm_config_registry: 'http://127.0.0.1:9/' });
		expect(await demo.ended).not.toBe(0);
		expect(demo.output()).toContain('The npm registry could not be reached.');
		expect(demo.output()).toContain('ECONNREFUSED');
		expect(demo.output()).not.toContain('    at ');
	});

	it('says that npm failed, and why', async () => {
		const registry = createServer((_request, response) => response.writeHead(404).end('{}'));
		await new Promise<void>((resolve) => registry.listen(0, LOOPBACK, resolve));
		const { port: at } = registry.address() as AddressInfo;
		const npm = {
			npm_config_registry: `http://${LOOPBACK}:${at}/`,
			npm_config_prefer_online: 'true',
		};
		const demo = run('start', { ...fresh(), ...npm });
		expect(await demo.ended).not.toBe(0);
		registry.close();
		expect(demo.output()).toContain('npm install failed; the next start tries again.');
		expect(demo.output()).toContain('E404');
	});
});
