import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';
import { bytes, newSkill } from './support/skills';

describe.each(DATABASES)('the tables in %s', (_, newPlace) => {
	let test: LibraryUnderTest;

	beforeEach(async () => {
		test = await openNew(newPlace);
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
		await expect(test.place.open()).rejects.toMatchObject({
			code: 'database-newer',
			hint: expect.stringContaining('Update the package') as string,
		});
		const [row] = await test.run(`SELECT schema_version, sequence FROM ${t}library`);
		expect([Number(row.schema_version), Number(row.sequence)]).toEqual([99, 1]);
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
