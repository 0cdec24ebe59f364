import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { Owner } from './client';
import { tryLock } from './lock';
import { MODEL_NAME, standInTurn, startModelServer } from './model';
import type { ModelServer } from './model';
import { installPackage, isInstalled, REPOSITORY } from './pack';
import { freePort } from './ports';
import { DemoError } from './process';
import { showProgress } from './progress';
import { ensureRuntime } from './runtime';
import { seed } from './seed';
import type { ModelAccess } from './seed';
import { startServer } from './server';
import type { N8nServer } from './server';
import { copySkills } from './skills';

const DATA_FOLDER = resolve(process.env.AGENT_SKILLS_DEMO_DATA || join(REPOSITORY, '.n8n-demo'));
const SKILLS_FOLDER = join(DATA_FOLDER, 'skills');
const DEFAULT_PORT = 5678;
const OPENAI_URL = 'https://api.openai.com/v1';
const OPENAI_DEFAULT_MODEL = 'gpt-4.1-mini';

/** A running demo. */
export interface Demo {
	/** The address of the demo workflow in the editor. */
	address: string;
	/** Builds and installs the package again and restarts n8n on the same port. */
	reload(): Promise<void>;
	stop(): Promise<void>;
}

/** Starts n8n with the built package, the example skills, the demo workflow and a model. */
export async function startDemo(): Promise<Demo> {
	const port = await choosePort();
	const release = tryLock(join(DATA_FOLDER, 'running.lock'));
	if (release === null) {
		throw new DemoError(`The demo is running already, with its data in ${DATA_FOLDER}.`);
	}
	const runtime = await ensureRuntime();
	await install();
	copySkills(
		join(REPOSITORY, 'examples', 'skills'),
		SKILLS_FOLDER,
		join(DATA_FOLDER, 'skills.json'),
	);
	const standIn = process.env.OPENAI_API_KEY ? null : await startModelServer(standInTurn);
	const owner = ownerOf(join(DATA_FOLDER, 'owner.json'));
	const start = async (): Promise<N8nServer> => {
		const done = showProgress('Starting n8n');
		const env = { N8N_RESTRICT_FILE_ACCESS_TO: `${SKILLS_FOLDER};~/.n8n-files` };
		const onCrash = (log: string) => {
			console.error(`\nn8n ended by itself. The end of its log:\n${log}`);
			process.exit(1);
		};
		const options = { userFolder: DATA_FOLDER, port, env, onCrash };
		return await startServer(runtime, options).finally(done);
	};
	let server = await start();
	const access = modelAccess(standIn);
	const workflow = await seed(server.url, owner, access, SKILLS_FOLDER);
	const address = `${server.url}/workflow/${workflow}`;
	announce(address, owner, access, standIn !== null);
	return {
		address,
		async reload() {
			await install();
			await server.stop();
			server = await start();
		},
		async stop() {
			await server.stop();
			await standIn?.stop();
			release();
		},
	};
}

async function install(): Promise<void> {
	if (isInstalled(DATA_FOLDER)) return;
	const done = showProgress('Building and installing this package');
	await installPackage(DATA_FOLDER).finally(done);
}

async function choosePort(): Promise<number> {
	const port = Number(process.env.PORT ?? DEFAULT_PORT);
	if (!Number.isInteger(port) || port < 1 || port > 65_535) {
		throw new DemoError(`PORT=${process.env.PORT} is not a port number.`);
	}
	if ((await freePort(port)) !== null) return port;
	throw new DemoError(
		`Port ${port} is taken, perhaps by another n8n or this demo in another window.\n` +
			`Choose another one: PORT=${port + 10} npm start`,
	);
}

function ownerOf(file: string): Owner {
	if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Owner;
	// n8n asks for a digit and a capital letter.
	const password = `Demo1-${randomBytes(6).toString('hex')}`;
	const owner = { email: 'demo@example.com', password };
	mkdirSync(DATA_FOLDER, { recursive: true });
	writeFileSync(file, JSON.stringify(owner), { mode: 0o600 });
	return owner;
}

function modelAccess(standIn: ModelServer | null): ModelAccess {
	if (standIn !== null) return { url: standIn.url, apiKey: 'not-needed', model: MODEL_NAME };
	return {
		url: process.env.OPENAI_BASE_URL ?? OPENAI_URL,
		apiKey: process.env.OPENAI_API_KEY ?? '',
		model: process.env.OPENAI_MODEL ?? OPENAI_DEFAULT_MODEL,
	};
}

function announce(address: string, owner: Owner, access: ModelAccess, standIn: boolean): void {
	const model = standIn
		? 'a stand-in without intelligence; set OPENAI_API_KEY (OPENAI_BASE_URL, OPENAI_MODEL) for a real one'
		: `${access.model} at ${access.url}`;
	console.log(`
  The demo is ready:  ${address}

  E-mail     ${owner.email}
  Password   ${owner.password}
  Skills     ${SKILLS_FOLDER}   (edit them: the next message sees it)
  Library    the workflow "Skill library demo" has the same skills in a database
  Model      ${model}

  Open the chat at the bottom of the canvas and ask something. Ctrl-C stops everything.
`);
}
