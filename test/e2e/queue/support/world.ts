import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nClient } from '../../../../examples/demo/client';
import { createScriptedModel, type ScriptedModel } from '../../../../examples/demo/model';
import { installPackage } from '../../../../examples/demo/pack';
import { ensureRuntime } from '../../../../examples/demo/runtime';
import { startServer, type N8nServer } from '../../../../examples/demo/server';
import { OWNER, startConversation, type Conversation } from '../../support/bench';
import { createSkillFolder, type SkillFolder } from '../../support/skills';
import type { AgentOptions } from '../../support/workflows';
import { logLength } from './log-length';
import { startPostgres, type Postgres } from './postgres';
import { startRedis, type Redis } from './redis';

const WORKERS = 2;
const NODES = join('.n8n', 'nodes');
const ENCRYPTION_KEY = 'the-same-for-main-and-workers';

/** The stores that a memory node can use. */
export type StoreName = 'postgres' | 'redis';

/** A memory node at "Shared State". */
export type SharedState = NonNullable<AgentOptions['sharedState']>;

/** n8n in queue mode: main, workers, Postgres and Redis, a model and a client. */
export interface QueueWorld {
	client: N8nClient;
	model: ScriptedModel;
	workers: N8nServer[];
	/** The id of a credential for a Skill Library in the same Postgres. */
	library: string;
	/** A memory node for "Shared State": with a key for all sessions, or one for each. */
	memory(store: StoreName, key?: string): SharedState;
	/** The same with another address. */
	memoryAt(store: StoreName, port: number): Promise<SharedState>;
	start(options: Omit<AgentOptions, 'credential'>): Promise<Conversation>;
	/** The number of the worker that ran an execution, as its log says. */
	workerOf(execution: string): number;
	/** How many entries the log of Shared State with this key has. */
	logLength(store: StoreName, key: string): number;
	/** The lines of the workers' logs that fit. */
	workerLogs(pattern: RegExp): string[];
	createSkills(): SkillFolder;
	stop(): Promise<void>;
}

/**
 * Starts n8n in queue mode, in folders of its own that are removed at the end. The package is
 * taken from another n8n's user folder where there is one, else built.
 */
export async function startQueueWorld(installedIn?: string): Promise<QueueWorld> {
	const started = Date.now();
	const home = mkdtempSync(join(tmpdir(), 'agent-skills-queue-'));
	const remove = () => rmSync(home, { recursive: true, force: true });
	process.once('exit', remove);
	mkdirSync(join(home, '.n8n-files'));
	const runtime = await ensureRuntime();
	const mainFolder = join(home, 'main');
	const [postgres, redis] = await Promise.all([
		startPostgres(home),
		startRedis(home),
		installedIn === undefined
			? installPackage(mainFolder)
			: cpSync(join(installedIn, NODES), join(mainFolder, NODES), { recursive: true }),
	]);
	const env = queueEnvironment(home, postgres, redis);
	const main = await startServer(runtime, { userFolder: mainFolder, env });
	const workers = await Promise.all(
		Array.from({ length: WORKERS }, async (_, index) => {
			const userFolder = join(home, `worker-${index}`);
			cpSync(join(mainFolder, NODES), join(userFolder, NODES), { recursive: true });
			return await startServer(runtime, { userFolder, env, command: 'worker' });
		}),
	);
	console.log(`n8n in queue mode answered after ${Date.now() - started} ms at ${main.url}`);
	const bench = await openClient(main.url, postgres, redis);
	return {
		...bench,
		workers,
		workerOf: (execution) => workers.findIndex(({ log }) => ranIn(log(), execution)),
		logLength: (store, key) => logLength(runtime, { postgres, redis }, store, key),
		workerLogs: (pattern) =>
			workers.flatMap(({ log }) => log().split('\n')).filter((line) => pattern.test(line)),
		createSkills: () => createSkillFolder(home),
		async stop() {
			await Promise.all([main, ...workers].map(async (server) => await server.stop()));
			await Promise.all([bench.model.stop(), redis.stop(), postgres.stop()]);
			remove();
			process.removeListener('exit', remove);
		},
	};
}

const ranIn = (log: string, execution: string) =>
	log.includes(`Worker started execution ${execution} `);

function queueEnvironment(home: string, postgres: Postgres, redis: Redis): Record<string, string> {
	return {
		HOME: home,
		USERPROFILE: home,
		EXECUTIONS_MODE: 'queue',
		N8N_ENCRYPTION_KEY: ENCRYPTION_KEY,
		QUEUE_BULL_REDIS_HOST: redis.host,
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: postgres.host,
		DB_POSTGRESDB_PORT: String(postgres.port),
		DB_POSTGRESDB_USER: postgres.user,
		DB_POSTGRESDB_PASSWORD: postgres.password,
		DB_POSTGRESDB_DATABASE: postgres.database,
	};
}

async function openClient(
	url: string,
	postgres: Postgres,
	redis: Redis,
): Promise<Pick<QueueWorld, 'client' | 'model' | 'library' | 'memory' | 'memoryAt' | 'start'>> {
	const client = new N8nClient(url);
	await client.signIn(OWNER);
	const model = await createScriptedModel();
	const access = { apiKey: 'test', url: model.url };
	const credential = await client.createCredential('Test model', 'openAiApi', access);
	const { host, user, password, database } = postgres;
	const fields = {
		postgres: { host, user, password, database, ssl: 'disable', maxConnections: 20 },
		redis: { host: redis.host, database: 1, user: '', password: '', ssl: false },
	};
	const create = async (store: StoreName, port: number) =>
		await client.createCredential(store, store, { ...fields[store], port });
	const ids = {
		postgres: await create('postgres', postgres.port),
		redis: await create('redis', redis.port),
	};
	const place = { host, port: postgres.port, database, user, password, schema: 'agent_skills' };
	const library = await client.createCredential('Library', 'agentSkillsPostgresApi', place);
	return {
		client,
		model,
		library,
		memory: (store, key) => memoryNode(store, ids[store], key),
		memoryAt: async (store, port) => memoryNode(store, await create(store, port)),
		start: async (options) => await startConversation(client, model, { ...options, credential }),
	};
}

function memoryNode(store: StoreName, id: string, key?: string): SharedState {
	const parameters =
		key === undefined
			? { sessionIdType: 'fromInput' }
			: { sessionIdType: 'customKey', sessionKey: key };
	const credentials = { [store]: { id, name: store } };
	return store === 'postgres'
		? { type: 'memoryPostgresChat', version: 1.4, parameters, credentials }
		: { type: 'memoryRedisChat', version: 1.6, parameters, credentials };
}
