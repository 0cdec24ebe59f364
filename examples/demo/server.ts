import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { runtimeEnvironment } from './install';
import { freePort, LOOPBACK } from './ports';
import { DemoError, sleep } from './process';
import type { Runtime } from './runtime';

const START_AT_MOST_MS = 180_000;
const STOP_AT_MOST_MS = 15_000;
const POLL_MS = 250;
const LOG_LINES = 400;
const CRASH_LINES = 40;

// What a person has set for an n8n of their own must not leak into this one.
const FOREIGN =
	/^(N8N_|DB_|QUEUE_|EXECUTIONS_|WEBHOOK_URL|NODES_|CREDENTIALS_|NODE_OPTIONS|NODE_ENV|JEST_)/;

/** How to start an n8n: whose data, on which port, with which further variables. */
export interface ServerOptions {
	userFolder: string;
	/** A worker of queue mode answers at its port too, though only whether it is ready. */
	command?: 'start' | 'worker';
	port?: number;
	env?: Record<string, string>;
	onCrash?: (log: string) => void;
}

/** A running n8n. */
export interface N8nServer {
	url: string;
	port: number;
	pid: number;
	startedInMs: number;
	/** The last lines that n8n printed. */
	log(): string;
	stop(): Promise<void>;
}

/** Starts n8n and gives it back once it answers; a crash or a delay carries the end of its log. */
export async function startServer(runtime: Runtime, options: ServerOptions): Promise<N8nServer> {
	const started = Date.now();
	const port = await freePort(options.port);
	const brokerPort = await freePort();
	if (port === null || brokerPort === null) {
		throw new DemoError(`Port ${options.port} is taken. Choose another: PORT=5690 npm start`);
	}
	mkdirSync(options.userFolder, { recursive: true });
	const env = serverEnvironment(runtime, options, port, brokerPort);
	const args = ['--require', join(__dirname, 'guard.ts'), runtime.n8n, options.command ?? 'start'];
	// A process group of its own, so that the task runners can be ended with it.
	const detached = process.platform !== 'win32';
	const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
	const child = spawn(runtime.node, args, { cwd: options.userFolder, env, detached, stdio });
	const log = keepLog(child);
	const killNow = () => kill(child, 'SIGKILL');
	process.once('exit', killNow);
	let ready = false;
	let stopping = false;
	child.once('exit', () => {
		process.removeListener('exit', killNow);
		kill(child, 'SIGKILL');
		if (ready && !stopping) options.onCrash?.(log(CRASH_LINES));
	});
	const url = `http://${LOOPBACK}:${port}`;
	const stop = async () => {
		stopping = true;
		await stopProcess(child);
	};
	await waitUntilReady(child, url, log).catch(async (error: unknown) => {
		await stop();
		throw error;
	});
	ready = true;
	const startedInMs = Date.now() - started;
	return { url, port, pid: child.pid ?? 0, startedInMs, log: () => log(LOG_LINES), stop };
}

function serverEnvironment(
	runtime: Runtime,
	options: ServerOptions,
	port: number,
	brokerPort: number,
): NodeJS.ProcessEnv {
	const inherited = Object.entries(runtimeEnvironment(runtime)).filter(
		([key]) => !FOREIGN.test(key),
	);
	return {
		...Object.fromEntries(inherited),
		N8N_USER_FOLDER: options.userFolder,
		N8N_LISTEN_ADDRESS: LOOPBACK,
		N8N_HOST: LOOPBACK,
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		// Over plain http on loopback a browser would not keep a secure cookie.
		N8N_SECURE_COOKIE: 'false',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		// It asks n8n's own server for a list at every start.
		N8N_DISABLED_MODULES: 'mcp-registry',
		N8N_LOG_LEVEL: 'info',
		NO_COLOR: '1',
		...options.env,
	};
}

function keepLog(child: ChildProcess): (lines: number) => string {
	let text = '';
	const keep = (chunk: Buffer) => {
		text = (text + chunk.toString()).split('\n').slice(-LOG_LINES).join('\n');
	};
	child.stdout?.on('data', keep);
	child.stderr?.on('data', keep);
	return (lines) => text.trimEnd().split('\n').slice(-lines).join('\n');
}

async function waitUntilReady(
	child: ChildProcess,
	url: string,
	log: (lines: number) => string,
): Promise<void> {
	const deadline = Date.now() + START_AT_MOST_MS;
	while (Date.now() < deadline) {
		if (hasEnded(child)) throw new DemoError(`n8n ended while starting:\n${log(CRASH_LINES)}`);
		const answer = await fetch(`${url}/healthz/readiness`).catch(() => null);
		if (answer?.status === 200) return;
		await sleep(POLL_MS);
	}
	const seconds = START_AT_MOST_MS / 1000;
	throw new DemoError(`n8n was not ready after ${seconds} s:\n${log(CRASH_LINES)}`);
}

async function stopProcess(child: ChildProcess): Promise<void> {
	const deadline = Date.now() + STOP_AT_MOST_MS;
	if (!hasEnded(child)) child.kill('SIGTERM');
	while (!hasEnded(child) && Date.now() < deadline) await sleep(POLL_MS / 5);
	kill(child, 'SIGKILL');
	while (!hasEnded(child)) await sleep(POLL_MS / 5);
}

function hasEnded(child: ChildProcess): boolean {
	return child.exitCode !== null || child.signalCode !== null;
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
	if (child.pid === undefined) return;
	try {
		if (process.platform === 'win32') child.kill(signal);
		else process.kill(-child.pid, signal);
	} catch {
		// The whole group has ended already.
	}
}
