import { createLibraryBackend } from '../../nodes/core/backends';
import { exportSkills } from '../../nodes/core/library/export';
import { importSkills } from '../../nodes/core/library/import';
import { createLibrary } from '../../nodes/core/library/service';
import { syncSkills } from '../../nodes/core/library/sync';
import type { Library, LibraryError, LibrarySkill, SkillRef } from '../../nodes/core/library/types';
import { createRepository } from '../../nodes/core/library/writing';
import { OPERATIONS } from '../../nodes/shared/library/operations';
import type { LibraryCall } from '../../nodes/shared/library/types';
import {
	memoryBackend,
	openAccess,
	removeTempTrees,
	setOf,
	skillTree,
	tempTree,
} from '../core/support';
import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';
import { ANN, bytes, newSkill, text } from './support/skills';

afterAll(removeTempTrees);

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
	'node: generate': byNode('skill:generate'),
	'node: validate': byNode('skill:validate', { validateWhat: 'skill' }),
	'node: format as text': byNode('format:content'),
	'node: format as tree': byNode('format:tree'),
	export: async (library, ref) => await exportSkills([await library.get(ref)]),
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
	'node: compare': byNode('version:compare', { version: 1, otherVersion: 2 }),
};

/** Does what the node does with these parameters. */
function byNode(operation: string, parameters: Record<string, unknown> = {}): Operation {
	return async (library, ref) => {
		const skill = 'id' in ref ? { mode: 'id', value: ref.id } : { mode: 'name', value: ref.name };
		const all: Record<string, unknown> = { ...parameters, skill };
		const context = {
			getNodeParameter: (name: string, _item: number, otherwise: unknown) =>
				name in all ? all[name] : otherwise,
		};
		return await OPERATIONS[operation]({
			context,
			itemIndex: 0,
			library,
		} as unknown as LibraryCall);
	};
}

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
				isPublic: kind !== 'private',
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

	it.each(cases({ 'the list as text': READ.find }, READERS))(
		'%s shows a %s skill to its %s: %s',
		async (_name, kind, actor, isAllowed) => {
			const { name } = await make(kind);
			const [item] = (await byNode('format:list')(
				library(actor),
				{ name: '' },
				{} as LibrarySkill,
			)) as Array<{ json: { text: string } }>;
			expect(item.json.text.includes(name)).toBe(isAllowed);
		},
	);

	it.each(cases({ sync: READ.find }, READERS))(
		'%s of a %s skill by its %s writes it: %s',
		async (_name, kind, actor, isAllowed) => {
			const { id, name } = await make(kind);
			const folder = await tempTree();
			const [user, isAdministrator] = ACTORS[actor];
			const who = { database: 'one', user, isAdministrator };
			const options = { folder, access: openAccess, key: 'k', ...who };
			const [named] = await syncSkills(library(actor), { ...options, skills: [{ id }] });
			expect([named.ok, named.action === 'written']).toEqual([isAllowed, isAllowed]);
			const all = await syncSkills(library(actor), { ...options, key: 'all', query: {} });
			expect(all.some((status) => status.ok && status.name === name)).toBe(isAllowed);
		},
	);

	it.each(cases({ import: READ.find }, WRITERS))(
		'%s over a %s skill by its %s changes it: %s',
		async (_name, kind, actor, isAllowed) => {
			const { id, name, ownerId } = await make(kind);
			const before = await admin.get({ id });
			const set = setOf(memoryBackend(skillTree({ [name]: 'Imported' })));
			const [result] = await importSkills(library(actor), set, { ownerId });
			expect(result.action).toBe(isAllowed ? 'updated' : 'refused');
			const after = await admin.get({ id });
			if (isAllowed) expect(after.description).toBe('Imported');
			else expect(after).toEqual(before);
		},
	);

	// In an agent nobody acts as administrator.
	const OFFERED: typeof READERS = { ...READERS, private: ['owner'] };

	it.each(cases({ agent: READ.find }, OFFERED))(
		'an %s is offered a %s skill for its %s: %s',
		async (_name, kind, actor, isAllowed) => {
			const { name } = await make(kind);
			const [user] = ACTORS[actor];
			const backend = createLibraryBackend({ database: test.database, user });
			const entries = (await backend.list('/')) ?? [];
			expect(entries.some(({ path }) => path === `/${name}`)).toBe(isAllowed);
			expect((await backend.list(`/${name}`)) !== null).toBe(isAllowed);
			for (const read of await backend.read([`/${name}/SKILL.md`, `/${name}/a.md`], 1000)) {
				expect('error' in read ? read.error : 'read').toBe(isAllowed ? 'read' : 'not_found');
			}
		},
	);

	describe('a skill that its owner makes private while another one reads it', () => {
		let skill: LibrarySkill;

		beforeEach(async () => {
			const files = [{ path: 'a.md', content: bytes('public') }];
			const more = { isPublic: true, content: 'public', files };
			skill = await test.as('ann').create(newSkill(`hurried-${number++}`, more));
		});

		/** The library as Bob sees it; Ann writes right after his first statement. */
		function hurried(): Library {
			let isDone = false;
			const hide = async () => {
				if (isDone) return;
				isDone = true;
				const files = [{ path: 'a.md', content: bytes('SECRET') }];
				const secret = { isPublic: false, content: 'SECRET', description: 'SECRET', files };
				await test.as('ann').update({ id: skill.id }, secret);
			};
			const read: typeof test.sql.read = async (sql, values) => {
				const rows = await test.sql.read(sql, values);
				await hide();
				return rows;
			};
			const database = createLibrary(createRepository({ ...test.sql, read }));
			return database.as({ user: 'bob', isAdministrator: false });
		}

		it.each([
			['by id', () => ({ id: skill.id })],
			['by name', () => ({ name: skill.name })],
		])('shows nothing of what it became, %s', async (_way, ref) => {
			const before = await test.as('ann').get(ref());
			const { files, ...withText } = before;
			expect(await hurried().text(ref())).toEqual(withText);
			await test.as('ann').update({ id: skill.id }, { ...before, isPublic: true });
			const list = await hurried().files(ref());
			expect(list.map(({ hash }) => hash)).toEqual(files.map(({ hash }) => hash));
			await test.as('ann').update({ id: skill.id }, { ...before, isPublic: true });
			expect(text((await hurried().file(ref(), 'a.md')).content)).toBe('public');
			await expect(test.as('bob').text(ref())).rejects.toMatchObject({ code: 'not-found' });
		});

		it('keeps its versions from one who has just lost it', async () => {
			let isMoved = false;
			const read: typeof test.sql.read = async (sql, values) => {
				const rows = await test.sql.read(sql, values);
				if (!isMoved) {
					isMoved = true;
					await admin.update({ id: skill.id }, { ownerId: 'eve', description: 'SECRET' });
				}
				return rows;
			};
			const losing = createLibrary(createRepository({ ...test.sql, read })).as(ANN);
			expect((await losing.versions({ id: skill.id })).map(({ version }) => version)).toEqual([1]);
			for (const version of [1, 2]) {
				const lost = losing.version({ id: skill.id }, version);
				await expect(lost).rejects.toMatchObject({ code: 'not-found' });
			}
		});
	});

	describe('a name that several users gave', () => {
		const [name, only] = ['same-name', 'only-name'];

		beforeAll(async () => {
			await test.as('ann').create(newSkill(name));
			await test.as('eve').create(newSkill(name));
			await test.as('eve').create(newSkill(only));
		});

		it.each(Object.entries({ ...READ, ...WRITE }).filter(([key]) => !key.startsWith('node')))(
			'is refused to an administrator, who may mean any: %s',
			async (_name, operation) => {
				const before = await admin.stamp();
				await expect(operation(admin, { name }, {} as LibrarySkill)).rejects.toMatchObject({
					code: 'invalid',
					message: expect.stringContaining('Several users have a skill "same-name"') as string,
					hint: expect.stringContaining('ID') as string,
				});
				expect(await admin.stamp()).toBe(before);
			},
		);

		it('means the one with an owner named, the own one, or the only one', async () => {
			expect((await admin.find({ name, ownerId: 'eve' })).ownerId).toBe('eve');
			expect((await test.as('eve', true).find({ name })).ownerId).toBe('eve');
			expect((await admin.find({ name: only })).ownerId).toBe('eve');
			const { id } = await admin.create(newSkill(name, { ownerId: null }));
			expect((await admin.find({ name })).id).toBe(id);
			await admin.remove({ id });
		});

		it('is refused too where they wrote its sigma differently', async () => {
			const two = ['\u03b1\u03c3', '\u03b1\u03c2'];
			await test.as('ann').create(newSkill(two[0]));
			await test.as('eve').create(newSkill(two[1]));
			for (const spelling of two) {
				await expect(admin.remove({ name: spelling })).rejects.toMatchObject({ code: 'invalid' });
			}
		});

		it('is only not there for everybody else', async () => {
			const hidden = test.as('bob').find({ name });
			await expect(hidden).rejects.toMatchObject({ code: 'not-found' });
		});
	});

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

	it('a system skill is not private: whoever says so meant a user', async () => {
		const { id } = await make('system');
		const refused = {
			code: 'invalid',
			message: expect.stringContaining('cannot be private') as string,
			hint: expect.stringContaining('Set the user') as string,
		};
		const nobody = test.as(null, true);
		const secret = nobody.create(newSkill('for-nobody', { isPublic: false }));
		await expect(secret).rejects.toMatchObject(refused);
		await expect(admin.update({ id }, { isPublic: false })).rejects.toMatchObject(refused);
		const { id: own } = await make('private');
		const given = admin.update({ id: own }, { ownerId: null, isPublic: false });
		await expect(given).rejects.toMatchObject(refused);
		expect((await admin.find({ id: own })).ownerId).toBe('ann');
	});

	it('half a character makes no user: two of them would be stored as the same', async () => {
		const owner = test.as('x\ud800');
		await expect(owner.create(newSkill('half'))).rejects.toMatchObject({ code: 'invalid' });
		const given = admin.create(newSkill('half', { ownerId: 'x\udbff' }));
		await expect(given).rejects.toMatchObject({ code: 'invalid' });
		await admin.create(newSkill('of-a-sign', { ownerId: 'x\ufffd' }));
		for (const user of ['x\ud800', 'x\udbff']) {
			const hidden = test.as(user).get({ name: 'of-a-sign' });
			await expect(hidden).rejects.toMatchObject({ code: 'not-found' });
		}
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
