import type { Library, LibraryError, LibrarySkill, SkillRef } from '../../nodes/core/library/types';
import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';
import { bytes, newSkill } from './support/skills';

const KINDS = ['private', 'public', 'system'] as const;
type Kind = (typeof KINDS)[number];

const ACTORS = {
	owner: ['ann', false],
	other: ['bob', false],
	nobody: [null, false],
	administrator: ['root', true],
} as const;
type ActorName = keyof typeof ACTORS;

/** The rules, as the issue of the library states them. Nobody owns a system skill. */
const READERS: Record<Kind, ActorName[]> = {
	private: ['owner', 'administrator'],
	public: ['owner', 'other', 'nobody', 'administrator'],
	system: ['owner', 'other', 'nobody', 'administrator'],
};
const WRITERS: Record<Kind, ActorName[]> = {
	private: ['owner', 'administrator'],
	public: ['owner', 'administrator'],
	system: ['administrator'],
};

/** Does something to the skill with this id, which has a file and an earlier version. */
type Operation = (library: Library, ref: SkillRef, skill: LibrarySkill) => Promise<unknown>;

const READ: Record<string, Operation> = {
	find: async (library, ref) => await library.find(ref),
	text: async (library, ref) => await library.text(ref),
	get: async (library, ref) => await library.get(ref),
	files: async (library, ref) => await library.files(ref),
	file: async (library, ref) => await library.file(ref, 'a.md'),
	'usage of one': async (library, ref) => await library.usage({ ref, by: 'total' }),
};

const WRITE: Record<string, Operation> = {
	update: async (library, ref) => await library.update(ref, { description: 'Changed' }),
	'update to the same': async (library, ref) => await library.update(ref, {}),
	'update of an old version': async (library, ref) => {
		const update = library.update(ref, { description: 'Changed' }, 1);
		await update.catch((error: LibraryError) => {
			if (error.code !== 'version-conflict') throw error;
		});
	},
	remove: async (library, ref) => await library.remove(ref),
	putFile: async (library, ref) => await library.putFile(ref, 'b.md', bytes('b')),
	removeFile: async (library, ref) => await library.removeFile({ skill: ref, path: 'a.md' }),
	versions: async (library, ref) => await library.versions(ref),
	version: async (library, ref) => await library.version(ref, 1),
	restore: async (library, ref) => await library.restore(ref, 1),
};

describe.each(DATABASES)('permissions in %s', (_, newPlace) => {
	let test: LibraryUnderTest;
	let admin: Library;
	let number = 0;

	beforeAll(async () => {
		test = await openNew(newPlace);
		admin = test.as('root', true);
	});
	afterAll(async () => await test.close());

	const library = (actor: ActorName) => test.as(ACTORS[actor][0], ACTORS[actor][1]);

	async function make(kind: Kind): Promise<LibrarySkill> {
		const { id } = await admin.create(
			newSkill(`${kind}-${number++}`, {
				ownerId: kind === 'system' ? null : 'ann',
				isPublic: kind === 'public',
				files: [{ path: 'a.md', content: bytes(`a ${number}`) }],
			}),
		);
		return await admin.update({ id }, { content: 'Second' });
	}

	const cases = (operations: Record<string, Operation>, allowed: Record<Kind, ActorName[]>) =>
		Object.keys(operations).flatMap((operation) =>
			KINDS.flatMap((kind) =>
				(Object.keys(ACTORS) as ActorName[]).map(
					(actor) => [operation, kind, actor, allowed[kind].includes(actor)] as const,
				),
			),
		);

	/** The answer that says nothing: it is the same for what is not there. */
	async function refusal(operation: Operation, actor: ActorName, skill: LibrarySkill) {
		const nowhere = { id: '00000000-0000-4000-8000-000000000000' };
		const error = await operation(library(actor), nowhere, skill).then(
			() => undefined,
			({ code, message, hint }: LibraryError) => ({ code, message, hint }),
		);
		expect(error).toMatchObject({ code: 'not-found' });
		return error;
	}

	describe.each([
		['by id', (skill: LibrarySkill): SkillRef => ({ id: skill.id })],
		['by name', ({ name, ownerId }: LibrarySkill): SkillRef => ({ name, ownerId })],
	])('%s', (_way, refTo) => {
		it.each([...cases(READ, READERS), ...cases(WRITE, WRITERS)])(
			'%s of a %s skill by its %s: %s',
			async (name, kind, actor, isAllowed) => {
				const operation = READ[name] ?? WRITE[name];
				const skill = await make(kind);
				const before = [await admin.get({ id: skill.id }), await admin.stamp()];
				const attempt = operation(library(actor), refTo(skill), skill);
				if (isAllowed) {
					await expect(attempt).resolves.not.toThrow();
					return;
				}
				const error = await refusal(operation, actor, skill);
				await expect(attempt).rejects.toMatchObject({ ...error });
				expect([await admin.get({ id: skill.id }), await admin.stamp()]).toEqual(before);
			},
		);
	});

	it.each(cases({ removeFile: WRITE.removeFile }, WRITERS))(
		'%s by the id of the file alone, of a %s skill by its %s: %s',
		async (_name, kind, actor, isAllowed) => {
			const skill = await make(kind);
			const [file] = await admin.files({ id: skill.id });
			const attempt = library(actor).removeFile({ id: file.id });
			if (isAllowed) {
				expect(await attempt).toEqual(file);
				return;
			}
			const missing = await library(actor)
				.removeFile({ id: 'nowhere' })
				.catch(({ message, hint }: LibraryError) => ({ message, hint }));
			await expect(attempt).rejects.toMatchObject({ code: 'not-found', ...missing });
			expect(await admin.files({ id: skill.id })).toEqual([file]);
		},
	);

	it.each(cases({ list: READ.find }, READERS))(
		'%s shows a %s skill to its %s: %s',
		async (_name, kind, actor, isAllowed) => {
			const { name } = await make(kind);
			const queries = [{}, { names: [name] }, { text: name }, { names: [name], limit: 1 }];
			for (const query of queries) {
				const { skills } = await library(actor).list(query);
				expect(skills.some((skill) => skill.name === name)).toBe(isAllowed);
			}
		},
	);

	it.each(cases({ changes: READ.find }, READERS))(
		'%s tell of a %s skill to its %s: %s',
		async (_name, kind, actor, isAllowed) => {
			const start = await admin.stamp();
			const { id } = await make(kind);
			await admin.remove({ id });
			const { changes, last } = await library(actor).changes(start);
			const events = isAllowed ? ['created', 'updated', 'deleted'] : [];
			expect(changes.map(({ event }) => event)).toEqual(events);
			expect(last).toBe(start + 3);
		},
	);

	it.each(cases({ recordUse: READ.find }, READERS))(
		'%s of a %s skill by its %s counts: %s',
		async (_name, kind, actor, isAllowed) => {
			const { id } = await make(kind);
			await library(actor).recordUse([id]);
			const loads = (await admin.usage({ ref: { id }, by: 'total' })).map((one) => one.loads);
			expect(loads).toEqual(isAllowed ? [1] : []);
		},
	);

	it.each(cases({ usage: READ.find }, WRITERS))(
		"%s of a %s skill shows others' loads to its %s: %s",
		async (_name, kind, actor, isAllowed) => {
			const { id } = await make(kind);
			if (kind !== 'private') await test.as('eve').recordUse([id]);
			await admin.recordUse([id]);
			const users = (await library(actor).usage({ by: 'user' }))
				.filter((one) => one.skillId === id)
				.map((one) => one.user);
			const all = kind === 'private' ? ['root'] : ['eve', 'root'];
			expect(users.sort()).toEqual(isAllowed ? all : []);
		},
	);

	it.each([
		['private', { ownerId: 'ann' }, ['owner', 'administrator']],
		['public', { ownerId: 'ann', isPublic: true }, ['owner', 'administrator']],
		['system', { ownerId: null }, ['administrator']],
	])('a %s skill is made by %j alone', async (_kind, owner, makers) => {
		for (const actor of Object.keys(ACTORS) as ActorName[]) {
			const stamp = await admin.stamp();
			const attempt = library(actor).create(newSkill(`made-${number++}`, owner));
			if (makers.includes(actor)) {
				expect((await attempt).ownerId).toBe(owner.ownerId);
			} else {
				await expect(attempt).rejects.toMatchObject({ code: 'invalid' });
				expect(await admin.stamp()).toBe(stamp);
			}
		}
	});

	it('a skill without an owner named is of its maker, and of the system only by an administrator', async () => {
		expect((await library('other').create(newSkill('mine'))).ownerId).toBe('bob');
		expect((await test.as(null, true).create(newSkill('ours'))).ownerId).toBeNull();
		await expect(library('nobody').create(newSkill('nobodys'))).rejects.toMatchObject({
			code: 'invalid',
			hint: 'Set the user, or switch "Act as administrator" on.',
		});
		for (const user of ['', 'a\0', 'x'.repeat(1000)]) {
			await expect(test.as(user).create(newSkill('odd'))).rejects.toMatchObject({
				code: 'invalid',
			});
		}
	});

	it('nobody gives a skill to somebody else, or takes one, but an administrator', async () => {
		const skill = await make('private');
		const given = library('owner').update({ id: skill.id }, { ownerId: 'bob' });
		await expect(given).rejects.toMatchObject({ code: 'invalid' });
		const toSystem = library('owner').update({ id: skill.id }, { ownerId: null });
		await expect(toSystem).rejects.toMatchObject({ code: 'invalid' });
		const moved = await admin.update({ id: skill.id }, { ownerId: 'bob' });
		expect(moved).toMatchObject({ ownerId: 'bob', isPublic: false });
		expect((await admin.update({ id: skill.id }, { ownerId: null })).isPublic).toBe(true);
	});

	it('a system skill is public whatever is said', async () => {
		const skill = await make('system');
		expect((await admin.update({ id: skill.id }, { isPublic: false })).isPublic).toBe(true);
	});

	it('a user with a name that no database keeps is nobody', async () => {
		const skill = await make('public');
		for (const user of ['', 'ann\0', 'x'.repeat(1000)]) {
			expect((await test.as(user).find({ id: skill.id })).id).toBe(skill.id);
			const hidden = test.as(user).find({ id: (await make('private')).id });
			await expect(hidden).rejects.toMatchObject({ code: 'not-found' });
		}
	});

	it('users are told apart by every character', async () => {
		const { id } = await make('private');
		for (const user of ['Ann', 'ANN', 'ann ', ' ann', 'a\u0301nn', 'ａnn', '%', 'ann%']) {
			await expect(test.as(user).find({ id })).rejects.toMatchObject({ code: 'not-found' });
			await expect(test.as(user).remove({ id })).rejects.toMatchObject({ code: 'not-found' });
		}
	});
});
