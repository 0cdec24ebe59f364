import { host } from '../shared/support/contexts';

import type { IDataObject } from 'n8n-workflow';

import {
	LIBRARY_CHANGES_PER_READ,
	POSITION_IDLE_MS,
	POSITION_TOUCH_MS,
} from '../../nodes/core/limits';
import type { Library, NewSkill } from '../../nodes/core/library/types';
import { useFreshLibrary } from './support/node';
import { newSkill } from './support/skills';
import { newWatched, startTrigger, type Watching, type WatchedLibrary } from './support/trigger';

useFreshLibrary();

const told = (changes: IDataObject[]) =>
	changes.map(({ event, skill }) => `${event} ${(skill as IDataObject).name}`);

describe.each(['sqlite', 'postgres'] as const)('a trigger on %s', (kind) => {
	let library: WatchedLibrary;
	let anna: Library;

	beforeEach(async () => {
		library = newWatched(kind);
		anna = (await library.open()).as({ user: 'anna', isAdministrator: false });
	});
	afterEach(() => jest.restoreAllMocks());

	const start = (parameters?: IDataObject) => startTrigger(library, parameters);
	const create = async (name: string, more: Partial<NewSkill> = {}) =>
		await anna.create(newSkill(name, { isPublic: true, ...more }));
	const change = async (name: string, content = 'x') => await anna.update({ name }, { content });

	/** Polls until there is no more. */
	async function pollAll(trigger: Watching): Promise<string[]> {
		const all: string[] = [];
		for (;;) {
			const some = told(await trigger.poll());
			if (some.length === 0) return all;
			all.push(...some);
		}
	}

	/** Forgets all of the log but the last changes. */
	async function cutLog(kept: number): Promise<void> {
		await library.sql(async ({ write, dialect: { prefix: t } }) => {
			await write(
				async (run) =>
					await run(
						`DELETE FROM ${t}changes WHERE sequence <= (SELECT sequence FROM ${t}library) - $1`,
						[kept],
					),
			);
		});
	}

	it('tells each change once, and nothing of what was there before', async () => {
		await create('old');
		const trigger = start();
		expect(await trigger.poll()).toEqual([]);
		await create('alpha');
		await change('alpha');
		await anna.remove({ name: 'old' });
		expect(told(await trigger.poll())).toEqual(['created alpha', 'updated alpha', 'deleted old']);
		expect(await trigger.poll()).toEqual([]);
	});

	it('tells only the events and skills that were asked for', async () => {
		const trigger = start({ events: ['deleted'], filters: { tags: 'x' } });
		await trigger.poll();
		await create('alpha', { tags: ['x'] });
		await create('beta');
		await anna.remove({ name: 'alpha' });
		await anna.remove({ name: 'beta' });
		expect(told(await trigger.poll())).toEqual(['deleted alpha']);
	});

	it('tells of a skill that comes among the filtered ones, or leaves them', async () => {
		const [tagged, open] = [
			start({ filters: { tags: 'x' } }),
			start({ user: 'anna', filters: { visibility: 'public' } }),
		];
		const { id } = await create('alpha');
		for (const trigger of [tagged, open]) await trigger.poll();
		await anna.update({ id }, { tags: ['x'] });
		await anna.update({ id }, { tags: ['x', 'y'] });
		await anna.update({ id }, { tags: ['y'] });
		await anna.update({ id }, { tags: [] });
		expect(told(await tagged.poll())).toEqual(['created alpha', 'updated alpha', 'deleted alpha']);
		await open.poll();
		await anna.update({ id }, { isPublic: false });
		await anna.update({ id }, { isPublic: true });
		expect(told(await open.poll())).toEqual(['deleted alpha', 'created alpha']);
	});

	it("tells nobody of somebody else's private skills, but an administrator of all", async () => {
		const [boris, administrator] = [start({ user: 'boris' }), start({ actAsAdministrator: true })];
		await boris.poll();
		await administrator.poll();
		await create('secret', { isPublic: false });
		expect(await boris.poll()).toEqual([]);
		expect(told(await administrator.poll())).toEqual(['created secret']);
	});

	it('shows the last change when it is tried out, and does not count it as told', async () => {
		const trigger = start();
		await trigger.poll();
		await create('alpha');
		expect(told(await trigger.poll('manual'))).toEqual(['created alpha']);
		expect(told(await trigger.poll())).toEqual(['created alpha']);
	});

	it('is not switched on by being tried out', async () => {
		const trigger = start();
		await create('alpha');
		await trigger.poll('manual');
		await create('beta');
		expect(await trigger.poll()).toEqual([]);
	});

	it('says what to do when there is nothing to try it out with', async () => {
		await expect(start().poll('manual')).rejects.toMatchObject({
			message: 'There is no skill to show yet',
			description: expect.stringContaining('Create one'),
		});
	});

	it('tells a long backlog to its end over several polls, each change once', async () => {
		const trigger = start();
		await trigger.poll();
		const amount = LIBRARY_CHANGES_PER_READ + 20;
		for (let at = 0; at < amount; at++) await create(`skill-${at}`);
		expect(await trigger.poll()).toHaveLength(LIBRARY_CHANGES_PER_READ);
		expect(await trigger.poll()).toHaveLength(20);
		expect(await trigger.poll()).toEqual([]);
	});

	describe('when the log was cut behind it', () => {
		it('looks at the skills themselves, and says that it may have missed deleted ones', async () => {
			await create('old');
			const trigger = start();
			await trigger.poll();
			await create('alpha');
			await change('old');
			await create('beta');
			await cutLog(1);
			expect(told(await trigger.poll())).toEqual(['created alpha', 'updated old', 'created beta']);
			expect(trigger.warnings).toEqual([expect.stringContaining('more often')]);
			expect(await trigger.poll()).toEqual([]);
		});

		it('tells of each skill once, also with more of them than one poll tells', async () => {
			const trigger = start();
			await trigger.poll();
			const amount = LIBRARY_CHANGES_PER_READ + 60;
			for (let at = 0; at < amount; at++) await create(`skill-${at}`);
			await cutLog(LIBRARY_CHANGES_PER_READ + 10);
			const all = await pollAll(trigger);
			expect(all).toHaveLength(amount);
			expect(new Set(all).size).toBe(amount);
		});

		it('tells what others with wrong clocks wrote', async () => {
			const trigger = start();
			await trigger.poll();
			const now = Date.now();
			const clock = jest.spyOn(Date, 'now');
			clock.mockReturnValue(now + 60 * 60 * 1000);
			await create('ahead');
			clock.mockReturnValue(now);
			expect(told(await trigger.poll())).toEqual(['created ahead']);
			clock.mockReturnValue(now - 60 * 60 * 1000);
			await create('behind');
			await change('ahead');
			await create('last');
			await cutLog(1);
			expect(await pollAll(trigger)).toEqual(['created behind', 'updated ahead', 'created last']);
		});

		it('tells that a skill was made that was changed since', async () => {
			const trigger = start({ events: ['created'] });
			await trigger.poll();
			await create('alpha');
			await change('alpha');
			await cutLog(1);
			expect(await pollAll(trigger)).toEqual(['created alpha']);
		});
	});

	describe('stands where it stood', () => {
		it('when another run puts back older static data, or none', async () => {
			const trigger = start();
			const before = host.staticData(trigger.saved);
			await trigger.poll();
			await create('alpha');
			await trigger.poll();
			host.writeStaticData(trigger.saved, before);
			expect(await trigger.poll()).toEqual([]);
			await create('beta');
			host.writeStaticData(trigger.saved, {});
			expect(told(await trigger.poll())).toEqual(['created beta']);
		});

		it('where an earlier version had left off, once', async () => {
			await create('old');
			const trigger = start();
			const { id } = await library.open();
			const data = { 'node:Watch': { library: id, sequence: 1, at: '2026-01-01T00:00:00Z' } };
			host.writeStaticData(trigger.saved, data);
			await create('alpha');
			expect(told(await trigger.poll())).toEqual(['created alpha']);
			host.writeStaticData(trigger.saved, data);
			expect(await trigger.poll()).toEqual([]);
		});

		it('until it has not polled for months', async () => {
			const [gone, alive] = [start(), start()];
			const now = Date.now();
			await gone.poll();
			await alive.poll();
			const clock = jest.spyOn(Date, 'now');
			for (let time = 0; time <= POSITION_IDLE_MS + POSITION_TOUCH_MS; time += POSITION_TOUCH_MS) {
				clock.mockReturnValue(now + time);
				await alive.poll();
			}
			const positions = await library.sql(
				async ({ read, dialect }) => await read(`SELECT reader FROM ${dialect.prefix}positions`),
			);
			expect(positions).toHaveLength(1);
			expect(positions[0].reader).toContain(alive.saved.id);
		});
	});

	it('tells a change in one of two polls at once, not in both', async () => {
		const trigger = start();
		await trigger.poll();
		await create('alpha');
		const both = await Promise.all([trigger.poll(), trigger.poll()]);
		expect(told(both.flat())).toEqual(['created alpha']);
	});
});

it('starts anew in another library', async () => {
	const library = newWatched('sqlite');
	const create = async (name: string) =>
		await (await library.open())
			.as({ user: 'anna', isAdministrator: false })
			.create(newSkill(name, { isPublic: true }));
	const trigger = startTrigger(library);
	await trigger.poll();
	await create('alpha');
	process.env.N8N_USER_FOLDER = `${process.env.N8N_USER_FOLDER}/other`;
	await create('beta');
	expect(await trigger.poll()).toEqual([]);
	await create('gamma');
	expect(told(await trigger.poll())).toEqual(['created gamma']);
});

it('knows the library again by another name of its host and another user of the database', async () => {
	const library = newWatched('postgres');
	const database = await library.open();
	const trigger = startTrigger(library);
	await trigger.poll();
	const anna = database.as({ user: 'anna', isAdministrator: false });
	await anna.create(newSkill('alpha', { isPublic: true }));
	await library.sql(async ({ write }) => {
		await write(async (run) => {
			await run(`CREATE ROLE "${String(library.settings.schema)}" SUPERUSER LOGIN PASSWORD 'x'`);
		});
	});
	const { schema } = library.settings;
	Object.assign(library.settings, { host: 'localhost', user: schema, password: 'x' });
	const other = await library.open();
	expect(other.id).not.toBe(database.id);
	expect(await other.libraryId()).toBe(await database.libraryId());
	expect(told(await trigger.poll())).toEqual(['created alpha']);
});
