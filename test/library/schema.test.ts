import { MAX_LIBRARY_FILES, ROWS_PER_INSERT } from '../../nodes/core/limits';
import type { Dialect, SqlDatabase } from '../../nodes/core/library/sql';
import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';
import { bytes, newSkill } from './support/skills';

describe.each(DATABASES)('the tables in %s', (_, newPlace) => {
	let test: LibraryUnderTest;
	let known: number;

	beforeEach(async () => {
		test = await openNew(newPlace);
		known = test.sql.dialect.migrations.length;
	});
	afterEach(async () => await test.close());

	it('are there again when the library is opened again', async () => {
		const made = await test.as('ann').create(newSkill('kept'));
		const again = await test.place.open();
		const rows = await again.read(`SELECT id FROM ${again.dialect.prefix}skills`);
		expect(rows.map(({ id }) => id)).toEqual([made.id]);
		await again.close();
	});

	it('of a newer version are refused, and left as they are', async () => {
		const t = test.sql.dialect.prefix;
		await test.as('ann').create(newSkill('kept'));
		await test.run(`UPDATE ${t}library SET schema_version = 99`);
		const newer = {
			code: 'database-newer',
			hint: expect.stringContaining('Update the package') as string,
		};
		await expect(test.place.open()).rejects.toMatchObject(newer);
		const [row] = await test.sql.read(`SELECT schema_version, sequence FROM ${t}library`);
		expect([Number(row.schema_version), Number(row.sequence)]).toEqual([99, 1]);
	});

	it('are left alone by one who opened them before another made them newer', async () => {
		const t = test.sql.dialect.prefix;
		const { id } = await test.as('ann').create(newSkill('kept'));
		await test.run(`UPDATE ${t}library SET schema_version = 99`);
		const newer = { code: 'database-newer' };
		await expect(test.as('ann').create(newSkill('late'))).rejects.toMatchObject(newer);
		await expect(test.as('ann').remove({ id })).rejects.toMatchObject(newer);
		await expect(test.as('ann').recordUse([id])).rejects.toMatchObject(newer);
		expect((await test.as('ann').list()).skills.map(({ name }) => name)).toEqual(['kept']);
	});

	describe('that a later package changes', () => {
		const changed =
			(...statements: string[]) =>
			(dialect: Dialect): Dialect => ({
				...dialect,
				migrations: [
					...dialect.migrations,
					statements.map((text) => text.replaceAll('skills', `${dialect.prefix}skills`)),
				],
			});
		const ADD = `ALTER TABLE skills ADD COLUMN rating INTEGER DEFAULT 5`;
		const versionIn = async (sql: SqlDatabase) => {
			const [row] = await sql.read(`SELECT schema_version AS n FROM ${sql.dialect.prefix}library`);
			return Number(row.n);
		};

		it('are as before when that fails, and go on being used', async () => {
			await test.as('ann').create(newSkill('kept'));
			const broken = test.place.open(changed(ADD, 'SELECT nonsense FROM nowhere'));
			await expect(broken).rejects.toMatchObject({ code: 'database-unavailable' });
			expect(await versionIn(test.sql)).toBe(known);
			const rating = test.sql.read(`SELECT rating FROM ${test.sql.dialect.prefix}skills`);
			await expect(rating).rejects.toMatchObject({ code: 'database-unavailable' });
			await test.as('ann').create(newSkill('after'));
			expect((await test.as('ann').list()).skills).toHaveLength(2);
		});

		it('are changed with all that is in them, and then refused to the earlier package', async () => {
			const { id } = await test.as('ann').create(newSkill('kept'));
			const later = await test.place.open(changed(ADD));
			expect(await versionIn(later)).toBe(known + 1);
			const rows = await later.read(`SELECT id, rating FROM ${later.dialect.prefix}skills`);
			expect(rows).toEqual([{ id, rating: 5 }]);
			const late = test.as('ann').create(newSkill('late'));
			await expect(late).rejects.toMatchObject({ code: 'database-newer' });
			await later.close();
		});

		it('are changed once when many upgrade at once, while others write', async () => {
			const writes = Array.from(
				{ length: 10 },
				async (__, at) => await test.as('ann').create(newSkill(`skill-${at}`)),
			);
			const opened = await Promise.all(
				Array.from({ length: 4 }, async () => await test.place.open(changed(ADD))),
			);
			const made = (await Promise.allSettled(writes)).filter((one) => one.status === 'fulfilled');
			for (const sql of opened) expect(await versionIn(sql)).toBe(known + 1);
			const t = opened[0].dialect.prefix;
			expect(await opened[0].read(`SELECT id FROM ${t}skills`)).toHaveLength(made.length);
			for (const sql of opened) await sql.close();
		});
	});

	it('of version 1 get what was added since, and know from their log what changed when', async () => {
		const t = test.sql.dialect.prefix;
		const ann = test.as('ann');
		const { id } = await ann.create(newSkill('kept'));
		await ann.create(newSkill('other'));
		await ann.update({ id }, { content: 'new' });
		for (const statement of [
			`ALTER TABLE ${t}library DROP COLUMN id`,
			`ALTER TABLE ${t}skills DROP COLUMN created_in`,
			`ALTER TABLE ${t}skills DROP COLUMN changed_in`,
			`DROP TABLE ${t}positions`,
			`UPDATE ${t}library SET schema_version = 1`,
		]) {
			await test.run(statement);
		}
		const again = await test.place.open();
		const rows = await again.read(
			`SELECT name, created_in, changed_in FROM ${t}skills ORDER BY name`,
		);
		expect(rows.map((row) => Object.values(row).map(String))).toEqual([
			['kept', '1', '3'],
			['other', '2', '2'],
		]);
		await again.close();
		expect(await test.database.libraryId()).toMatch(/^[\da-f-]{32,36}$/);
		expect(await test.database.positions.of('nobody')).toBeNull();
	});

	it('have an id of their own in each library', async () => {
		const other = await openNew(newPlace);
		expect(await other.database.libraryId()).not.toBe(await test.database.libraryId());
		await other.close();
	});

	it('are made by one when many open at once', async () => {
		const place = newPlace();
		const opened = await Promise.all(Array.from({ length: 5 }, async () => await place.open()));
		const rows = await opened[4].read(
			`SELECT count(*) AS n FROM ${opened[4].dialect.prefix}library`,
		);
		expect(Number(rows[0].n)).toBe(1);
		for (const database of opened) await database.close();
	});

	it('are made whole or not at all', async () => {
		const place = newPlace();
		const database = await place.open();
		const t = database.dialect.prefix;
		const broken = database.write(async (run) => {
			await run(`INSERT INTO ${t}blobs (hash, bytes) VALUES ('x', $1)`, [bytes('x')]);
			await run('SELECT nonsense FROM nowhere');
		});
		await expect(broken).rejects.toMatchObject({ code: 'database-unavailable' });
		expect(await database.read(`SELECT hash FROM ${t}blobs`)).toEqual([]);
		await database.write(async (run) => {
			await run(`INSERT INTO ${t}blobs (hash, bytes) VALUES ('x', $1)`, [bytes('x')]);
		});
		expect(await database.read(`SELECT hash FROM ${t}blobs`)).toEqual([{ hash: 'x' }]);
		await database.close();
	});

	it('give a skill with all its files by one statement', async () => {
		const files = ['a', 'b', 'c'].map((path) => ({ path, content: bytes(path) }));
		const { id } = await test.as('ann').create(newSkill('whole', { files }));
		test.statements();
		expect((await test.as('ann').get({ id })).files).toHaveLength(3);
		expect((await test.as('bob', true).get({ name: 'whole' })).files).toHaveLength(3);
		expect(test.statements()).toHaveLength(2);
	});

	it('are listed by one statement, which looks at neither texts nor files', async () => {
		await test.as('ann').create(newSkill('listed', { tags: ['a'] }));
		test.statements();
		const query = { text: 'listed', tags: ['a'], names: ['listed'], limit: 5 };
		expect((await test.as('ann').list(query)).skills).toHaveLength(1);
		expect((await test.as('ann').list()).skills).toHaveLength(1);
		const statements = test.statements();
		expect(statements).toHaveLength(2);
		expect(statements.join()).not.toMatch(/blobs|skill_files|bytes|\*/);
		const t = test.sql.dialect.prefix;
		await test.run(`UPDATE ${t}blobs SET bytes = $1`, [bytes('broken')]);
		expect((await test.as('ann').list(query)).skills).toHaveLength(1);
	});

	it('take many files by few statements, new ones and replaced ones', async () => {
		const files = (word: string) =>
			Array.from({ length: MAX_LIBRARY_FILES }, (__, at) => ({
				path: `file-${at}.md`,
				content: bytes(`${word} ${at}`),
			}));
		const lots = MAX_LIBRARY_FILES / ROWS_PER_INSERT;
		test.statements();
		const { id } = await test.as('ann').create(newSkill('many', { files: files('one') }));
		// Looked for, then inserted: contents and files.
		expect(test.statements().length).toBeLessThan(3 * lots + 20);
		await test.as('ann').update({ id }, { files: files('two') });
		expect(test.statements().length).toBeLessThan(4 * lots + 20);
		expect((await test.as('ann').version({ id }, 1)).files).toHaveLength(MAX_LIBRARY_FILES);
	});

	it('have indexes on owner, visibility, tags and time', async () => {
		const t = test.sql.dialect.prefix;
		const isSqlite = t === '';
		const names = isSqlite
			? await test.run(`SELECT name FROM sqlite_master WHERE type = 'index'`)
			: await test.run(
					`SELECT indexname AS name FROM pg_indexes WHERE schemaname = ${t.slice(0, -1).replaceAll('"', "'")}`,
				);
		expect(names.map(({ name }) => name)).toEqual(
			expect.arrayContaining([
				'skills_by_owner',
				'skills_of_owner',
				'skills_by_public',
				'skills_by_update',
				'skill_tags_by_skill',
			]),
		);
	});
});
