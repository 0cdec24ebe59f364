import { createLibraryBackend } from '../../nodes/core/backends/library';
import { MAX_LIBRARY_VIEWS, MAX_USAGE_DAYS } from '../../nodes/core/limits';
import type { Library } from '../../nodes/core/library/types';
import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';
import { newSkill } from './support/skills';

const WAIT_FOR_USES_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;

describe.each(DATABASES)('usage in %s', (_, newPlace) => {
	let test: LibraryUnderTest;
	let ann: Library;

	beforeEach(async () => {
		test = await openNew(newPlace);
		ann = test.as('ann');
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		await test.close();
	});

	/** Lets the library believe that it is another time. */
	const setTime = (time: string) => {
		jest.spyOn(Date, 'now').mockReturnValue(Date.parse(time));
	};

	it('counts loads per skill, user and day, with the last one', async () => {
		const one = await ann.create(newSkill('one', { isPublic: true }));
		const two = await ann.create(newSkill('two'));
		setTime('2026-05-04T23:59:59.500Z');
		await ann.recordUse([one.id, two.id, one.id]);
		await test.as('bob').recordUse([one.id]);
		setTime('2026-05-05T00:00:00.500Z');
		await ann.recordUse([one.id]);
		await ann.recordUse([one.id]);
		await test.as(null).recordUse([one.id]);
		const about = { skillId: one.id, name: 'one' };
		const [first, second] = ['2026-05-04T23:59:59.500Z', '2026-05-05T00:00:00.500Z'];
		expect(await ann.usage({ ref: { id: one.id }, by: 'total' })).toEqual([
			{ ...about, loads: 5, lastUsedAt: second },
		]);
		const byUser = await ann.usage({ ref: { id: one.id }, by: 'user' });
		expect(byUser).toHaveLength(3);
		expect(byUser).toEqual(
			expect.arrayContaining([
				{ ...about, user: 'ann', loads: 3, lastUsedAt: second },
				{ ...about, user: 'bob', loads: 1, lastUsedAt: first },
				{ ...about, user: null, loads: 1, lastUsedAt: second },
			]),
		);
		expect(byUser[0].user).toBe('ann');
		const byDay = await ann.usage({ ref: { id: one.id }, by: 'day' });
		expect(byDay.map(({ user, day, loads }) => [user, day, loads]).sort()).toEqual([
			[null, '2026-05-05', 1],
			['ann', '2026-05-04', 1],
			['ann', '2026-05-05', 2],
			['bob', '2026-05-04', 1],
		]);
	});

	it('lists all skills, most used first, and since a day', async () => {
		const [one, two] = [await ann.create(newSkill('one')), await ann.create(newSkill('two'))];
		setTime('2026-05-04T12:00:00.000Z');
		await ann.recordUse([one.id]);
		setTime('2026-05-06T12:00:00.000Z');
		await ann.recordUse([two.id]);
		await ann.recordUse([two.id]);
		const all = await ann.usage({ by: 'total' });
		expect(all.map(({ name, loads }) => [name, loads])).toEqual([
			['two', 2],
			['one', 1],
		]);
		const since = await ann.usage({ by: 'total', since: '2026-05-06T01:00:00Z' });
		expect(since.map(({ name }) => name)).toEqual(['two']);
		await expect(ann.usage({ by: 'total', since: 'never' })).rejects.toMatchObject({
			code: 'invalid',
		});
	});

	it('ignores what is no skill', async () => {
		await ann.recordUse(['nowhere', "x' OR 1=1", 'a\0b', '']);
		await ann.recordUse([]);
		expect(await ann.usage({ by: 'total' })).toEqual([]);
	});

	it('forgets days that are long past', async () => {
		const { id } = await ann.create(newSkill('one'));
		setTime('2020-01-01T12:00:00.000Z');
		await ann.recordUse([id]);
		setTime(new Date(Date.parse('2020-01-01T12:00:00Z') + MAX_USAGE_DAYS * DAY_MS).toISOString());
		await ann.recordUse([id]);
		expect(await ann.usage({ by: 'day' })).toHaveLength(2);
		setTime(
			new Date(Date.parse('2020-01-01T12:00:00Z') + (MAX_USAGE_DAYS + 1) * DAY_MS).toISOString(),
		);
		await ann.recordUse([id]);
		expect((await ann.usage({ by: 'day' })).map(({ day }) => day)).not.toContain('2020-01-01');
	});

	it('is no change of the skill', async () => {
		const made = await ann.create(newSkill('one'));
		await ann.recordUse([made.id]);
		expect(await ann.find({ id: made.id })).toEqual(made);
		expect(await ann.stamp()).toBe(1);
	});

	it('of a skill goes with it, and does not come back with one of the same name', async () => {
		const { id } = await ann.create(newSkill('one'));
		await ann.recordUse([id]);
		await ann.remove({ id });
		await ann.recordUse([id]);
		expect(await ann.usage({ by: 'day' })).toEqual([]);
		await expect(ann.usage({ ref: { id }, by: 'total' })).rejects.toMatchObject({
			code: 'not-found',
		});
		await ann.create(newSkill('one'));
		expect(await ann.usage({ ref: { name: 'one' }, by: 'total' })).toEqual([]);
	});

	it('is counted for each of more users than views of a library are remembered', async () => {
		const { id } = await ann.create(newSkill('one', { isPublic: true }));
		const { database } = test;
		const users = Array.from({ length: MAX_LIBRARY_VIEWS + 16 }, (__, at) => `user ${at}`);
		const load = async (user: string) => {
			const backend = createLibraryBackend({ database, user });
			const [read] = await backend.read(['/one/SKILL.md'], 1_000_000);
			backend.used?.('/one');
			return read.path;
		};
		await Promise.all([...users, ...users].map(load));
		const total = async () => (await ann.usage({ ref: { id }, by: 'total' }))[0]?.loads ?? 0;
		const deadline = Date.now() + WAIT_FOR_USES_MS;
		while ((await total()) < users.length * 2 && Date.now() < deadline) {
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
		const counted = await ann.usage({ ref: { id }, by: 'user' });
		const loads = counted.map(({ user, loads: amount }) => [user, amount]);
		expect(loads.sort()).toEqual(users.map((user) => [user, 2]).sort());
	});

	it('loses no load when many come at once', async () => {
		const { id } = await ann.create(newSkill('one', { isPublic: true }));
		const loads = Array.from({ length: 50 }, async (__, at) => {
			await test.as(`user ${at % 5}`).recordUse([id]);
		});
		await Promise.all(loads);
		expect((await ann.usage({ by: 'total' }))[0].loads).toBe(50);
	});
});
