import { LIBRARY_CHANGES_PER_READ, MAX_LIBRARY_CHANGES } from '../../nodes/core/limits';
import type { Library, SkillQuery } from '../../nodes/core/library/types';
import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';
import { bytes, newSkill } from './support/skills';

describe.each(DATABASES)('changes in %s', (_, newPlace) => {
	let test: LibraryUnderTest;
	let ann: Library;
	let bob: Library;
	let admin: Library;

	beforeEach(async () => {
		test = await openNew(newPlace);
		ann = test.as('ann');
		bob = test.as('bob');
		admin = test.as('root', true);
	});
	afterEach(async () => await test.close());

	const seen = async (library: Library, after: number, query?: SkillQuery) =>
		(await library.changes(after, query)).changes.map(({ event, skill }) => [event, skill.name]);

	it('start at 0 and are numbered without a gap', async () => {
		expect(await ann.stamp()).toBe(0);
		expect(await ann.changes(0)).toEqual({ changes: [], last: 0, isIncomplete: false });
		const made = await ann.create(newSkill('one'));
		const changed = await ann.update({ id: made.id }, { content: 'new' });
		await ann.putFile({ id: made.id }, 'a.md', bytes('a'));
		const removed = await ann.remove({ id: made.id });
		const { changes, last } = await ann.changes(0);
		expect(changes.map(({ sequence, event }) => [sequence, event])).toEqual([
			[1, 'created'],
			[2, 'updated'],
			[3, 'updated'],
			[4, 'deleted'],
		]);
		expect(changes[0].skill).toEqual(made);
		expect(changes[1]).toMatchObject({ skill: changed, at: changed.updatedAt });
		expect(changes[3].skill).toEqual(removed);
		expect([last, await ann.stamp()]).toEqual([4, 4]);
	});

	it('do not number what failed', async () => {
		await ann.create(newSkill('one'));
		await expect(ann.create(newSkill('one'))).rejects.toThrow();
		await expect(ann.remove({ name: 'one' }, 7)).rejects.toThrow();
		await ann.create(newSkill('two'));
		expect(await ann.stamp()).toBe(2);
	});

	it('say "deleted" to those who may no longer see a skill, as they last saw it', async () => {
		const made = await ann.create(newSkill('shown', { isPublic: true }));
		const hidden = { isPublic: false, description: 'A secret' };
		await ann.update({ id: made.id }, hidden);
		await ann.update({ id: made.id }, { description: 'Another secret' });
		expect(await seen(bob, 1)).toEqual([['deleted', 'shown']]);
		expect((await bob.changes(1)).changes[0].skill).toEqual(made);
		expect(JSON.stringify(await bob.changes(0))).not.toContain('secret');
		expect(await seen(ann, 1)).toEqual([
			['updated', 'shown'],
			['updated', 'shown'],
		]);
	});

	it('say "created" to those who see a skill for the first time', async () => {
		const { id } = await ann.create(newSkill('hidden'));
		await ann.update({ id }, { description: 'Still hidden' });
		await ann.update({ id }, { isPublic: true });
		await ann.update({ id }, { description: 'Open' });
		expect(await seen(bob, 0)).toEqual([
			['created', 'hidden'],
			['updated', 'hidden'],
		]);
	});

	it('say the same when the owner changes', async () => {
		const { id } = await ann.create(newSkill('given'));
		await admin.update({ id }, { ownerId: 'bob' });
		expect(await seen(ann, 1)).toEqual([['deleted', 'given']]);
		expect(await seen(bob, 1)).toEqual([['created', 'given']]);
		expect(await seen(admin, 1)).toEqual([['updated', 'given']]);
		await bob.remove({ id });
		expect(await seen(ann, 2)).toEqual([]);
		expect(await seen(bob, 2)).toEqual([['deleted', 'given']]);
	});

	it.each<[string, SkillQuery, string[]]>([
		['tags', { tags: ['TAGGED'] }, ['tagged']],
		['names', { names: ['Plain'] }, ['plain']],
		['an owner', { ownerId: 'bob' }, ['bobs']],
		['the system', { ownerId: null }, ['systems']],
		['visibility', { visibility: 'public' }, ['bobs']],
		['private ones', { visibility: 'private' }, ['tagged', 'plain']],
		['system ones', { visibility: 'system' }, ['systems']],
		['own ones', { ownOnly: true }, ['tagged', 'plain', 'systems']],
		['a text', { text: 'what TAG' }, ['tagged']],
		['a time to come', { changedSince: '2999-01-01' }, []],
		['a search for nothing', { text: '!' }, []],
	])('are narrowed by %s, and read on behind them all', async (_case, query, names) => {
		await ann.create(newSkill('tagged', { tags: ['Tagged'] }));
		await ann.create(newSkill('plain'));
		await bob.create(newSkill('bobs', { isPublic: true }));
		await admin.create(newSkill('systems', { ownerId: null }));
		const page = await ann.changes(0, query);
		expect(page.changes.map(({ skill }) => skill.name)).toEqual(names);
		expect(page).toMatchObject({ last: 4, isIncomplete: false });
	});

	it.each<[string, SkillQuery, object]>([
		['a tag', { tags: ['x'] }, { tags: ['x'] }],
		['a name', { names: ['two'] }, { name: 'two' }],
		['visibility', { visibility: 'public' }, { isPublic: true }],
		['an owner', { ownerId: 'bob' }, { ownerId: 'bob' }],
		['a text', { text: 'fees' }, { description: 'About fees' }],
	])(
		'say that a skill came among those of %s, and that it left them',
		async (_case, query, into) => {
			const { id, ...made } = await ann.create(newSkill('one'));
			await admin.update({ id }, into);
			await admin.update({ id }, { content: 'new' });
			const { name, tags, description, isPublic, ownerId } = made;
			await admin.update({ id }, { name, tags, description, isPublic, ownerId });
			await admin.update({ id }, { content: 'newer' });
			const { changes } = await admin.changes(0, query);
			expect(changes.map(({ event }) => event)).toEqual(['created', 'updated', 'deleted']);
			expect(changes[2].skill).toMatchObject({ id, version: 3, ...into });
			expect(await admin.changes(2, query)).toMatchObject({ changes: changes.slice(1) });
		},
	);

	it('do not show whoever lost sight of a skill what it became', async () => {
		const { id } = await ann.create(newSkill('one', { tags: ['x'], isPublic: true }));
		await ann.update({ id }, { tags: [], isPublic: false, description: 'A secret' });
		await ann.update({ id }, { tags: ['x'], description: 'Another secret' });
		expect(await seen(bob, 1, { tags: ['x'] })).toEqual([['deleted', 'one']]);
		expect(JSON.stringify(await bob.changes(0, { tags: ['x'] }))).not.toContain('secret');
	});

	it('come in pages, each once', async () => {
		for (const name of ['a', 'b', 'c', 'd', 'e']) await ann.create(newSkill(name));
		const names: string[] = [];
		let after = 0;
		for (;;) {
			const { changes, last } = await ann.changes(after, {}, 2);
			if (changes.length === 0) break;
			names.push(...changes.map(({ skill }) => skill.name));
			after = last;
		}
		expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
	});

	it('are found behind many that are not for the reader', async () => {
		await fill(1, LIBRARY_CHANGES_PER_READ * 2 + 3);
		await bob.create(newSkill('mine'));
		expect(await seen(bob, 0)).toEqual([['created', 'mine']]);
	});

	it('are forgotten past a number, which a late reader is told', async () => {
		await fill(1, MAX_LIBRARY_CHANGES);
		expect((await ann.changes(0, {}, 1)).isIncomplete).toBe(false);
		await bob.create(newSkill('last-one'));
		const late = await ann.changes(0, {}, 1);
		const madeSince = { sequence: 1, event: 'created', skill: { name: 'filler' } };
		expect(late).toMatchObject({ isIncomplete: true, last: 1, changes: [madeSince] });
		expect((await ann.changes(1, {}, 1)).isIncomplete).toBe(false);
		const t = test.sql.dialect.prefix;
		const [{ n }] = await test.run(`SELECT count(*) AS n FROM ${t}changes`);
		expect(Number(n)).toBe(MAX_LIBRARY_CHANGES);
	});

	it('that are forgotten are told by the skills, to those who may see them, in pages', async () => {
		const [kept, gone] = [await ann.create(newSkill('kept')), await ann.create(newSkill('gone'))];
		await bob.create(newSkill('secret'));
		await ann.update({ id: kept.id }, { content: 'new' });
		await ann.remove({ id: gone.id });
		await fill(6, MAX_LIBRARY_CHANGES + 5);
		await bob.create(newSkill('last-one'));
		const first = await ann.changes(0, {}, 1);
		expect(first).toMatchObject({ isIncomplete: true, last: 1 });
		const second = await ann.changes(first.last, {}, 2);
		const all = [...first.changes, ...second.changes];
		expect(all.map(({ sequence, event, skill }) => [sequence, event, skill.name])).toEqual([
			[1, 'created', 'kept'],
			[4, 'updated', 'kept'],
			[6, 'created', 'filler'],
		]);
		expect(await ann.changes(6, {}, 1)).toMatchObject({ isIncomplete: false, last: 7 });
	});

	it('tell a reader with a number of another library', async () => {
		await ann.create(newSkill('one'));
		expect(await ann.changes(99)).toEqual({ changes: [], last: 1, isIncomplete: true });
	});

	it.each([-1, 0.5, Number.NaN])('refuse to start after %p', async (after) => {
		await expect(ann.changes(after)).rejects.toMatchObject({ code: 'invalid' });
	});

	it('cost one statement to see that there are none, however many there were', async () => {
		await fill(1, 1000);
		test.statements();
		await ann.stamp();
		const [statement, ...more] = test.statements();
		expect(more).toEqual([]);
		expect(statement).toBe(`SELECT sequence FROM ${test.sql.dialect.prefix}library`);
	});

	/** Logs many changes of a skill of Ann's at once. */
	async function fill(from: number, to: number): Promise<void> {
		const t = test.sql.dialect.prefix;
		const skill = await test.as('ann').create(newSkill('filler'));
		await test.sql.write(async (run) => {
			const json = JSON.stringify(skill).replaceAll("'", "''");
			await run(
				`WITH RECURSIVE n(i) AS (SELECT ${from + 1} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
				INSERT INTO ${t}changes (sequence, event, made_at, skill)
				SELECT i, 'updated', '${skill.updatedAt}', '${json}' FROM n`,
			);
			await run(`UPDATE ${t}library SET sequence = ${to}`);
		});
	}
});
