import { picture } from '../engine/support/picture';
import { hintsOf, supplyContext } from '../shared/support/contexts';

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { PostgresSettings } from '../../nodes/core/library/postgres-settings';
import { closeLibraries, databaseOf, openDatabase } from '../../nodes/shared/library/database';
import { postgresSettings } from './support/databases';
import { newSkill } from './support/skills';

const ANN = { user: 'ann', isAdministrator: false };
const environment = { ...process.env };
let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'agent-skills-user-folder-'));
	process.env.N8N_USER_FOLDER = folder;
});
afterEach(async () => {
	await closeLibraries();
	process.env = { ...environment };
	rmSync(folder, { recursive: true, force: true });
});

/** A context of n8n's own for a node with this "database" and this credential. */
function contextWith(database: string, settings?: PostgresSettings, executionId = 'exec-1') {
	const context = supplyContext(picture(), { node: 'Source', executionId });
	return Object.assign(context, {
		getNodeParameter: () => database,
		getCredentials: async () => ({ ...settings }),
	}) as typeof context;
}

describe('the built-in library', () => {
	it("is a file in n8n's user folder", async () => {
		const database = await databaseOf(contextWith('sqlite'), 0);
		const path = join(folder, '.n8n', 'agent-skills-library.sqlite');
		expect(database.id).toBe(`sqlite:${path}`);
		expect(existsSync(path)).toBe(true);
	});

	it('is in the home folder where n8n has no other', async () => {
		delete process.env.N8N_USER_FOLDER;
		process.env[process.platform === 'win32' ? 'USERPROFILE' : 'HOME'] = folder;
		const { id } = await openDatabase(contextWith('sqlite'), 'sqlite');
		expect(id).toBe(`sqlite:${join(folder, '.n8n', 'agent-skills-library.sqlite')}`);
	});

	it('is opened once in a process, by all that ask at once', async () => {
		const opened = await Promise.all(
			['sqlite', undefined, ''].map(async (kind) => await openDatabase(contextWith('x'), kind)),
		);
		expect(new Set(opened).size).toBe(1);
		const again = await databaseOf(contextWith('sqlite'), 0);
		expect(again).toBe(opened[0]);
	});

	it('warns in queue mode, once in an execution', async () => {
		expect(hintsOf(await hinted('exec-7'))).toEqual([]);
		process.env.EXECUTIONS_MODE = 'queue';
		expect(hintsOf(await hinted('exec-8'))).toEqual([expect.stringContaining('Choose Postgres')]);
		expect(hintsOf(await hinted('exec-8'))).toEqual([]);
		await closeLibraries();
		const context = contextWith('sqlite');
		const warn = jest.spyOn(context.logger, 'warn').mockReturnValue(undefined);
		await openDatabase(context, 'sqlite');
		await openDatabase(context, 'sqlite');
		expect(warn).toHaveBeenCalledTimes(1);
	});

	async function hinted(executionId: string) {
		const context = contextWith('sqlite', undefined, executionId);
		await databaseOf(context, 0);
		return context;
	}
});

describe('a library in Postgres', () => {
	it('is the one of the credential', async () => {
		const settings = postgresSettings();
		const database = await databaseOf(contextWith('postgres', settings), 0);
		await database.as(ANN).create(newSkill('one'));
		expect(database.id).toContain(settings.schema);
		expect(await databaseOf(contextWith('postgres', { ...settings }), 0)).toBe(database);
		const other = await databaseOf(contextWith('postgres', postgresSettings()), 0);
		expect((await other.as(ANN).list()).skills).toEqual([]);
	});

	it('needs no warning in queue mode', async () => {
		process.env.EXECUTIONS_MODE = 'queue';
		const context = contextWith('postgres', postgresSettings());
		await databaseOf(context, 0);
		expect(hintsOf(context)).toEqual([]);
	});

	it('is tried again after it could not be opened, and not served to a wrong password', async () => {
		const settings = postgresSettings();
		const wrong = contextWith('postgres', { ...settings, password: 'wrong' });
		await databaseOf(contextWith('postgres', settings), 0);
		await expect(databaseOf(wrong, 0)).rejects.toMatchObject({ code: 'database-unavailable' });
		await expect(databaseOf(wrong, 0)).rejects.toMatchObject({ code: 'database-unavailable' });
		const refused = databaseOf(contextWith('postgres', { ...settings, port: 1 }), 0);
		await expect(refused).rejects.toMatchObject({ code: 'database-unavailable' });
		await closeLibraries();
	});
});
