import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readlinkSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openSqlite, openSqliteFile } from '../../nodes/core/library/sqlite';
import type { LibraryError } from '../../nodes/core/library/types';
import { newSkill } from './support/skills';

let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'agent-skills-sqlite-'));
});
afterEach(() => {
	jest.restoreAllMocks();
	rmSync(folder, { recursive: true, force: true });
});

const ANN = { user: 'ann', isAdministrator: false };

it('makes the folder of its file, and names it without secrets', async () => {
	const path = join(folder, 'a/b/library.sqlite');
	const database = await openSqlite(path);
	expect(existsSync(path)).toBe(true);
	expect(database.id).toBe(`sqlite:${path}`);
	await database.close();
});

it('writes ahead, so that readers do not wait, and forces what it writes to the disk', async () => {
	const database = await openSqliteFile(join(folder, 'library.sqlite'));
	const [mode, synchronous, foreignKeys] = await database.write(
		async (run) =>
			await Promise.all(
				['journal_mode', 'synchronous', 'foreign_keys'].map(
					async (name) => Object.values((await run(`PRAGMA ${name}`))[0])[0],
				),
			),
	);
	expect([mode, synchronous, foreignKeys]).toEqual(['wal', 2, 1]);
	await database.close();
});

it('reads while another process writes, and writes when that one is done', async () => {
	const path = join(folder, 'library.sqlite');
	const [one, two] = [await openSqliteFile(path), await openSqlite(path)];
	let release: () => void = () => undefined;
	const busy = one.write(async () => await new Promise<void>((resolve) => (release = resolve)));
	await new Promise((resolve) => setTimeout(resolve, 50));
	const made = two.as(ANN).create(newSkill('patient'));
	expect((await two.as(ANN).list()).skills).toEqual([]);
	release();
	await busy;
	expect((await made).name).toBe('patient');
	await one.close();
	await two.close();
});

it('does not show what is not yet written to the end', async () => {
	const database = await openSqliteFile(join(folder, 'library.sqlite'));
	const count = async () => (await database.read('SELECT hash FROM blobs')).length;
	await database.write(async (run) => {
		await run(`INSERT INTO blobs VALUES ('x', x'00')`);
		expect(await count()).toBe(0);
	});
	expect(await count()).toBe(1);
	await database.close();
});

it('explains a file that is no library', async () => {
	const path = join(folder, 'library.sqlite');
	writeFileSync(path, 'This is a text, and long enough not to look like an empty database file.');
	await expect(openSqlite(path)).rejects.toMatchObject({
		code: 'database-unavailable',
		message: expect.stringContaining('not a database') as string,
		hint: expect.stringContaining('file is a library') as string,
	});
});

it('names its file to who reads the hint, not in the message', async () => {
	mkdirSync(join(folder, 'a-folder.sqlite'));
	writeFileSync(join(folder, 'a-file'), 'text, and long enough not to look like an empty database');
	for (const name of ['a-file', 'a-folder.sqlite', 'a-file/below/library.sqlite']) {
		const error = await openSqlite(join(folder, name)).catch((one: LibraryError) => one);
		expect((error as LibraryError).message).not.toContain(folder);
		expect((error as LibraryError).hint).toContain(join(folder, name));
	}
});

const HANDLES = '/proc/self/fd';
(existsSync(HANDLES) ? it : it.skip)('lets go of a file that is no library', async () => {
	const path = join(folder, 'library.sqlite');
	writeFileSync(path, 'This is a text, and long enough not to look like an empty database file.');
	for (let at = 0; at < 20; at++) await expect(openSqlite(path)).rejects.toThrow();
	const open = readdirSync(HANDLES).filter((handle) => {
		try {
			return readlinkSync(join(HANDLES, handle)).startsWith(folder);
		} catch {
			return false;
		}
	});
	expect(open).toEqual([]);
});

it('explains a path that cannot be a file', async () => {
	mkdirSync(join(folder, 'library.sqlite'));
	await expect(openSqlite(join(folder, 'library.sqlite'))).rejects.toMatchObject({
		code: 'database-unavailable',
	});
	writeFileSync(join(folder, 'file'), '');
	await expect(openSqlite(join(folder, 'file/library.sqlite'))).rejects.toMatchObject({
		code: 'database-unavailable',
	});
});

it.each([
	['an unknown one', () => undefined],
	['one without a way to ask', undefined],
])('says that Node.js is too old, and points to Postgres: %s', async (_case, ask) => {
	const { getBuiltinModule } = process;
	process.getBuiltinModule = ask as never;
	try {
		await expect(openSqlite(join(folder, 'library.sqlite'))).rejects.toMatchObject({
			code: 'database-unavailable',
			message: expect.stringContaining(`runs on ${process.versions.node}`) as string,
			hint: expect.stringContaining('Postgres') as string,
		});
	} finally {
		process.getBuiltinModule = getBuiltinModule;
	}
});
