import type { SavedWorkflow } from '../../engine/support/host';
import { host } from '../../shared/support/contexts';

import { join } from 'node:path';

import { PollContext } from 'n8n-core';
import type { IDataObject, INode, WorkflowExecuteMode } from 'n8n-workflow';

import { openPostgresSchema } from '../../../nodes/core/library/postgres';
import type { SqlDatabase } from '../../../nodes/core/library/sql';
import { openSqliteFile } from '../../../nodes/core/library/sqlite';
import type { LibraryDatabase } from '../../../nodes/core/library/types';
import { openDatabase } from '../../../nodes/shared/library/database';
import { SkillLibraryTrigger } from '../../../nodes/SkillLibraryTrigger/SkillLibraryTrigger.node';
import { postgresSettings } from './databases';

/** A new library in the way that the trigger opens it. */
export interface WatchedLibrary {
	kind: 'sqlite' | 'postgres';
	/** What the trigger's credential holds; a test may change it. */
	settings: Record<string, unknown>;
	open(): Promise<LibraryDatabase>;
	/** Runs SQL past the library. */
	sql<T>(work: (database: SqlDatabase) => Promise<T>): Promise<T>;
}

/** Gives back a library that nobody has used yet; that of SQLite is in n8n's folder. */
export function newWatched(kind: WatchedLibrary['kind']): WatchedLibrary {
	const settings = { ...postgresSettings() };
	const context = { getCredentials: async () => settings, logger: { warn: () => undefined } };
	const openSql = async () =>
		kind === 'postgres'
			? await openPostgresSchema(settings)
			: await openSqliteFile(
					join(String(process.env.N8N_USER_FOLDER), '.n8n/agent-skills-library.sqlite'),
				);
	return {
		kind,
		settings: settings as unknown as Record<string, unknown>,
		open: async () => await openDatabase(context as never, kind),
		sql: async (work) => {
			const database = await openSql();
			try {
				return await work(database);
			} finally {
				await database.close();
			}
		},
	};
}

/** A trigger in a workflow; each poll opens the workflow anew, as after a restart of n8n. */
export interface Watching {
	saved: SavedWorkflow;
	/** What was logged. */
	warnings: string[];
	poll(mode?: WorkflowExecuteMode): Promise<IDataObject[]>;
}

let workflows = 0;

/** Puts a trigger into a workflow of its own. */
export function startTrigger(library: WatchedLibrary, parameters: IDataObject = {}): Watching {
	const type = 'n8n-nodes-agent-skills.skillLibraryTrigger';
	const node = {
		id: 'n',
		name: 'Watch',
		type,
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: { database: library.kind, ...parameters },
	};
	const saved: SavedWorkflow = {
		id: `watch-${++workflows}`,
		nodes: [node as INode],
		connections: {},
	};
	const warnings: string[] = [];
	return {
		saved,
		warnings,
		async poll(mode = 'trigger') {
			const workflow = host.open(saved);
			const opened = workflow.getNode('Watch') as INode;
			const context = new PollContext(
				workflow,
				opened,
				host.additionalData(saved, '1', mode),
				mode,
				'activate',
			);
			Object.defineProperties(context, {
				getCredentials: { value: async () => library.settings },
				logger: { value: { warn: (message: string) => warnings.push(message) } },
			});
			const output = await new SkillLibraryTrigger().poll.call(context);
			if (mode !== 'manual') host.writeStaticData(saved, workflow.staticData);
			return output?.[0].map(({ json }) => json) ?? [];
		},
	};
}
