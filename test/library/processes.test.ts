import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { importSkills } from '../../nodes/core/library/import';
import { createLibrary } from '../../nodes/core/library/service';
import type { WholeSkill } from '../../nodes/core/library/types';
import { createRepository } from '../../nodes/core/library/writing';
import { diskBackend, removeTempTrees, setOf, skillTree, tempTree } from '../core/support';
import { DATABASES, type Place } from './support/databases';
import { newSkill } from './support/skills';

afterAll(removeTempTrees);

const WRITER = join(__dirname, 'support/writer.js');
// eslint-disable-next-line @typescript-eslint/no-require-imports -- a script that child processes run
const { FILES, wordsOf } = require('./support/writer.js') as {
	FILES: number;
	wordsOf(skill: WholeSkill): string[];
};

function start(place: Place, ...args: string[]): ChildProcess {
	const all = [WRITER, JSON.stringify(place.address), ...args];
	return spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** What a process prints before it ends. */
async function output(child: ChildProcess): Promise<string> {
	let printed = '';
	child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
	const [code] = (await once(child, 'close')) as [number];
	expect(code).toBe(0);
	return printed;
}

const result = async <T>(child: ChildProcess) => JSON.parse(await output(child)) as T;

const openLibrary = async (place: Place) => createLibrary(createRepository(await place.open()));
const ADMINISTRATOR = { user: 'root', isAdministrator: true };

describe.each(DATABASES)('several processes on one library in %s', (_, newPlace) => {
	it('make the same new library at once', async () => {
		const place = newPlace();
		const children = ['a', 'b', 'c', 'd'].map((name) => start(place, 'open', name));
		const opened = await Promise.all(children.map(async (child) => await result(child)));
		expect(opened).toEqual(children.map(() => ({ stamp: 0 })));
	});

	it('upgrade the same tables at once, and do so once', async () => {
		const place = newPlace();
		const sql = await place.open();
		const known = sql.dialect.migrations.length;
		await sql.close();
		const statements = JSON.stringify(['ALTER TABLE skills ADD COLUMN rating INTEGER']);
		const children = ['a', 'b', 'c'].map(() => start(place, 'upgrade', statements));
		const versions = await Promise.all(
			children.map(async (child) => await output(child).then((text) => text.split('\n')[1])),
		);
		expect(versions.map(Number)).toEqual([known + 1, known + 1, known + 1]);
	});

	it.each([
		['there is none yet', false],
		['there is an earlier one', true],
	])('leave no half schema when one is killed while it makes one, where %s', async (_case, old) => {
		const place = newPlace();
		if (old) {
			const database = await openLibrary(place);
			await database.as(ADMINISTRATOR).create(newSkill('kept'));
			await database.close();
		}
		const isFile = 'sqlite' in place.address;
		const slow = isFile
			? 'WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n'
			: 'SELECT pg_sleep(3)';
		const add = 'ALTER TABLE skills ADD COLUMN rating INTEGER';
		const child = start(place, 'upgrade', JSON.stringify([add, slow, add]));
		await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
		await new Promise((resolve) => setTimeout(resolve, 1500));
		expect(child.exitCode).toBeNull();
		child.kill('SIGKILL');
		await once(child, 'close');
		const sql = await place.open();
		const t = sql.dialect.prefix;
		const [row] = await sql.read(`SELECT schema_version AS n FROM ${t}library`);
		expect(Number(row.n)).toBe(sql.dialect.migrations.length);
		const rating = sql.read(`SELECT rating FROM ${t}skills`);
		await expect(rating).rejects.toMatchObject({ code: 'database-unavailable' });
		const library = createLibrary(createRepository(sql)).as(ADMINISTRATOR);
		await library.create(newSkill('after'));
		const names = (await library.list()).skills.map((skill) => skill.name);
		expect(names).toEqual(old ? ['after', 'kept'] : ['after']);
		await sql.close();
	});

	it('write and read 200 skills at once: none is lost, none is half, every change is seen', async () => {
		const place = newPlace();
		const children = ['one', 'two'].map((name) => start(place, 'compete', name, '400'));
		const results = await Promise.all(
			children.map(async (child) => await result<{ halves: string[]; followed: number[] }>(child)),
		);
		const all = Array.from({ length: 400 }, (__, at) => at + 1);
		for (const { halves, followed } of results) {
			expect(halves).toEqual([]);
			expect(followed).toEqual(all);
		}
		const database = await openLibrary(place);
		const library = database.as(ADMINISTRATOR);
		const { skills } = await library.list();
		expect(skills).toHaveLength(200);
		for (const { id, name, version } of skills) {
			const whole = await library.get({ id });
			expect([version, whole.files.length, wordsOf(whole)]).toEqual([2, FILES, [`${name}-b`]]);
		}
		await database.close();
	});

	it('leave whole skills only when one is killed in the middle of an import', async () => {
		const place = newPlace();
		for (const name of ['first', 'second', 'third']) {
			const child = start(place, 'import', name);
			await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
			// Somewhere in the middle of a skill, each time elsewhere.
			await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 200));
			child.kill('SIGKILL');
			await once(child, 'close');
			const database = await openLibrary(place);
			const library = database.as(ADMINISTRATOR);
			const { skills } = await library.list();
			expect(skills.filter((skill) => skill.name.startsWith(name)).length).toBeGreaterThan(0);
			for (const skill of skills) {
				const whole = await library.get({ id: skill.id });
				expect([whole.files.length, wordsOf(whole)]).toEqual([FILES, [skill.name]]);
			}
			expect(await library.stamp()).toBe(skills.length);
			await database.close();
		}
	});

	it('a folder is imported again where an import of it was killed: the rest is created', async () => {
		const place = newPlace();
		const names = Array.from({ length: 100 }, (__, index) => `s${index}`);
		const folder = await tempTree(skillTree(Object.fromEntries(names.map((name) => [name, 'd']))));
		const child = start(place, 'import-folder', 'root', folder);
		// Right after some skill was made, in the middle of the next one.
		await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
		child.kill('SIGKILL');
		await once(child, 'close');
		const database = await openLibrary(place);
		const library = database.as(ADMINISTRATOR);
		const made = (await library.list()).skills.map(({ name }) => name);
		expect(made.length).toBeGreaterThan(0);
		expect(made.length).toBeLessThan(names.length);
		const results = await importSkills(library, setOf(diskBackend(folder)), { ownerId: 'root' });
		const wanted = names.map((name) => [name, made.includes(name) ? 'unchanged' : 'created']);
		expect(results.map(({ name, action }) => [name, action]).sort()).toEqual(wanted.sort());
		await database.close();
	});
});
