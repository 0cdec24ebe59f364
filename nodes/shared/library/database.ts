import { hash } from 'node:crypto';
import { join } from 'node:path';

import type { IExecuteFunctions } from 'n8n-workflow';

import { MAX_OPEN_LIBRARIES } from '../../core/limits';
import { openSqlite } from '../../core/library/sqlite';
import type { PostgresSettings } from '../../core/library/postgres-settings';
import type { LibraryDatabase } from '../../core/library/types';
import { LruMap } from '../../core/lru';
import type { NodeContext } from '../context';
import { isFirstTime } from '../executions';
import { addHint } from '../hints';

/** Type name of our credential for a library in Postgres. */
export const POSTGRES_CREDENTIAL = 'agentSkillsPostgresApi';

/** Name of the built-in library's file in n8n's user folder. */
const FILE_NAME = 'agent-skills-library.sqlite';

const QUEUE_WARNING =
	'n8n runs in queue mode, and this library is a file: workers on other machines do not see it. Choose Postgres.';

/** What a context must offer to open a library: those of polls and of the editor do, too. */
export type DatabaseContext = Pick<IExecuteFunctions, 'getCredentials' | 'logger'>;

// Idle connections close by themselves, so one that falls out of here holds nothing.
const open = new LruMap<string, Promise<LibraryDatabase>>(MAX_OPEN_LIBRARIES);

/** Gives back the library that the parameter "database" of a node names. */
export async function databaseOf(
	context: NodeContext,
	itemIndex: number,
): Promise<LibraryDatabase> {
	const kind = context.getNodeParameter('database', itemIndex, 'sqlite');
	if (kind !== 'postgres' && isQueueMode() && isFirstTime(context, 'library:queue')) {
		addHint(context, QUEUE_WARNING, 'warning');
	}
	return await openDatabase(context, kind, itemIndex);
}

/** Gives back a library by the value of the parameter "database"; the process opens each once. */
export async function openDatabase(
	context: DatabaseContext,
	kind: unknown,
	itemIndex = 0,
): Promise<LibraryDatabase> {
	if (kind !== 'postgres') {
		const path = join(userFolder(), FILE_NAME);
		return await once(`sqlite:${path}`, async () => {
			if (isQueueMode()) context.logger.warn(QUEUE_WARNING);
			return await openSqlite(path);
		});
	}
	const credential = await context.getCredentials(POSTGRES_CREDENTIAL, itemIndex);
	const settings = credential as unknown as PostgresSettings;
	return await once(`postgres:${fingerprint(settings)}`, async () => {
		const { openPostgres } = await import('../../core/library/postgres');
		return await openPostgres(settings);
	});
}

/** Closes every library of the process. */
export async function closeLibraries(): Promise<void> {
	const all = [...open.values()];
	open.clear();
	for (const library of await Promise.allSettled(all)) {
		if (library.status === 'fulfilled') await library.value.close();
	}
}

/** What fails to open is opened anew the next time. */
async function once(key: string, create: () => Promise<LibraryDatabase>): Promise<LibraryDatabase> {
	const opened = open.getOrCreate(key, create);
	opened.catch(() => open.delete(key));
	return await opened;
}

/** Tells two credentials apart without keeping their secret. */
function fingerprint(settings: PostgresSettings): string {
	return hash('sha256', JSON.stringify(Object.entries(settings).sort()), 'hex');
}

/** Gives back the folder that n8n itself takes. */
function userFolder(): string {
	const { N8N_USER_FOLDER, HOME, USERPROFILE } = process.env;
	const home = process.platform === 'win32' ? USERPROFILE : HOME;
	return join(N8N_USER_FOLDER ?? home ?? process.cwd(), '.n8n');
}

function isQueueMode(): boolean {
	return process.env.EXECUTIONS_MODE === 'queue';
}
