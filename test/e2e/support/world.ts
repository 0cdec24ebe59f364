import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { installPackage } from '../../../examples/demo/pack';
import { LOOPBACK } from '../../../examples/demo/ports';
import { ensureRuntime } from '../../../examples/demo/runtime';
import type { Runtime } from '../../../examples/demo/runtime';
import { startServer } from '../../../examples/demo/server';
import type { N8nServer } from '../../../examples/demo/server';

const VARIABLE = 'AGENT_SKILLS_E2E';

/** Where the shared n8n is, as every test file is told. */
export interface World {
	url: string;
	/** A loopback address that restarts n8n on POST /restart, or /stop and /start, and gives its log on GET /log. */
	control: string;
	/** The folder that stands for the person's home: n8n may read its `.n8n-files`. */
	home: string;
	database: string;
	runtime: Runtime;
}

/** The n8n that all test files share, and what ends it. */
export interface SharedN8n {
	stop(): Promise<void>;
}

/** Installs and starts the shared n8n and tells every test file where it is. */
export async function startWorld(): Promise<SharedN8n> {
	const home = mkdtempSync(join(tmpdir(), 'agent-skills-e2e-'));
	const remove = () => rmSync(home, { recursive: true, force: true });
	process.once('exit', remove);
	mkdirSync(join(home, '.n8n-files'), { recursive: true });
	const runtime = await ensureRuntime();
	await installPackage(home);
	const start = async (port?: number): Promise<N8nServer> =>
		await startServer(runtime, {
			userFolder: home,
			port,
			env: { HOME: home, USERPROFILE: home },
			onCrash: (log) => console.error(`n8n ended by itself:\n${log}`),
		});
	let server = await start();
	console.log(`\nn8n answered after ${server.startedInMs} ms at ${server.url}`);
	const control = await startControl({
		stop: async () => await server.stop(),
		start: async () => {
			server = await start(server.port);
		},
		log: () => server.log(),
	});
	const { port } = control.address() as AddressInfo;
	const world: World = {
		url: server.url,
		control: `http://${LOOPBACK}:${port}`,
		home,
		database: join(home, '.n8n', 'database.sqlite'),
		runtime,
	};
	process.env[VARIABLE] = JSON.stringify(world);
	return {
		async stop() {
			control.closeAllConnections();
			control.close();
			await server.stop();
			remove();
		},
	};
}

/** Where the shared n8n is, seen from a test file. */
export function readWorld(): World {
	const text = process.env[VARIABLE];
	if (text === undefined)
		throw new Error('No n8n was started: run these tests with npm run test:e2e');
	return JSON.parse(text) as World;
}

async function startControl(does: {
	stop: () => Promise<void>;
	start: () => Promise<void>;
	log: () => string;
}): Promise<Server> {
	const server = createServer((request, response) => {
		const work = async () => {
			if (request.url === '/restart' || request.url === '/stop') await does.stop();
			if (request.url === '/restart' || request.url === '/start') await does.start();
		};
		work().then(
			() => response.end(does.log()),
			(error: Error) => response.writeHead(500).end(error.message),
		);
	});
	await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
	return server;
}
