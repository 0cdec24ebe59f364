import { spawn } from 'node:child_process';
import {
	cpSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import fsPromises from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { syncSkills, type SyncOptions, type SyncStatus } from '../../nodes/core/library/sync';
import { SyncFolder } from '../../nodes/core/library/sync/folder';
import type { Library, LibraryDatabase } from '../../nodes/core/library/types';
import { SYNC_GRACE_MS } from '../../nodes/core/limits';
import { clearRegistryCache } from '../../nodes/core/registry';
import { diskBackend, openAccess, removeTempTrees, setOf, tempTree } from '../core/support';
import { DATABASES, openNew } from './support/databases';
import { ADMIN, ANN, BOB, createAll, newFiles, newSkill } from './support/skills';

// So that a dead sync's lock is found dead before the test ends.
jest.mock('../../nodes/core/limits', () => ({
	...jest.requireActual<object>('../../nodes/core/limits'),
	SYNC_LOCK_BEAT_MS: 50,
	SYNC_LOCK_STALE_MS: 1000,
	SYNC_LOCK_SETTLE_MS: 50,
}));

afterAll(removeTempTrees);

const asAnn = { database: 'one', isAdministrator: false, user: 'ann' };
const asBob = { ...asAnn, user: 'bob' };
const brief = (statuses: SyncStatus[]) => statuses.map(({ name, action }) => [name, action]);
const STYLES = ['links', 'folders'] as const;
const CASES = DATABASES.flatMap(([name, newPlace]) =>
	STYLES.map((style) => [name, style, newPlace] as const),
);

describe.each(CASES)('sync from %s, %s', (_, style, newPlace) => {
	let database: LibraryDatabase;
	let library: Library;
	let folder: string;

	beforeEach(async () => {
		clearRegistryCache();
		({ database } = await openNew(newPlace));
		library = database.as(ANN);
		folder = await tempTree();
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		await database.close();
	});

	const sync = async (more: Partial<SyncOptions> = {}) =>
		await syncSkills(library, {
			folder,
			access: openAccess,
			key: 'k',
			...asAnn,
			style,
			...more,
		});
	const text = (path: string) => readFileSync(join(folder, path), 'utf8');
	const shown = () => readdirSync(folder).filter((name) => !name.startsWith('.'));
	const later = (ms: number) => {
		const now = Date.now() + ms;
		jest.spyOn(Date, 'now').mockImplementation(() => now);
	};

	it('writes each skill as a folder that is a skill again', async () => {
		const files = newFiles({
			'scripts/deep/run.py': 'print(1)',
			'bin.dat': Uint8Array.from([0, 255]),
		});
		await library.create(newSkill('pdf', { tags: ['a'], extras: { license: 'MIT' }, files }));
		await createAll(library, 'git');
		expect(brief(await sync())).toEqual([
			['git', 'written'],
			['pdf', 'written'],
		]);
		expect(text('pdf/SKILL.md')).toBe(
			'---\nname: pdf\ndescription: What pdf does\nlicense: MIT\ntags: [a]\n---\n# pdf\n\nDo it.\n',
		);
		expect(text('pdf/scripts/deep/run.py')).toBe('print(1)');
		expect([...readFileSync(join(folder, 'pdf/bin.dat'))]).toEqual([0, 255]);
		const { skills, diagnostics } = await setOf(diskBackend(folder)).refresh();
		expect(skills.map(({ name }) => name)).toEqual(['git', 'pdf']);
		expect(diagnostics).toEqual([]);
	});

	it('writes only what changed, whatever asks', async () => {
		await createAll(library, 'git', 'pdf');
		await sync();
		const before = lstatSync(join(folder, 'git/SKILL.md')).ino;
		expect(brief(await sync())).toEqual([
			['git', 'unchanged'],
			['pdf', 'unchanged'],
		]);
		await library.update({ name: 'pdf' }, { content: 'new' });
		await createAll(library, 'new');
		expect(brief(await sync())).toEqual(
			[
				['git', 'unchanged'],
				['new', 'written'],
				['pdf', 'written'],
			].sort((a, b) => (a[1] < b[1] ? -1 : 1)),
		);
		expect(lstatSync(join(folder, 'git/SKILL.md')).ino).toBe(before);
		expect(text('pdf/SKILL.md')).toContain('---\nnew');
	});

	it('asks for the stamp alone while nothing changed, also where a skill is shadowed', async () => {
		await createAll(library, 'git', 'pdf');
		await database.as(ADMIN).create(newSkill('pdf', { ownerId: null }));
		await sync();
		const asked: string[] = [];
		const watched = new Proxy(library, {
			get: (target, name: keyof Library) => {
				asked.push(name);
				return target[name];
			},
		});
		const options = { folder, access: openAccess, key: 'k', ...asAnn, style };
		expect(brief(await syncSkills(watched, options))).toEqual([
			['pdf', 'shadowed'],
			['git', 'unchanged'],
			['pdf', 'unchanged'],
		]);
		expect(asked).toEqual(['stamp']);
	});

	it('"clean" writes all anew', async () => {
		await createAll(library, 'git', 'pdf');
		await sync();
		expect(brief(await sync({ clean: true }))).toEqual([
			['git', 'written'],
			['pdf', 'written'],
		]);
		expect(shown()).toEqual(['git', 'pdf']);
	});

	it('a file that is gone from the skill is gone from the folder', async () => {
		await library.create(newSkill('pdf', { files: newFiles({ a: '1', b: '2' }) }));
		await sync();
		await library.update({ name: 'pdf' }, { files: newFiles({ b: '2' }) });
		await sync();
		expect(existsSync(join(folder, 'pdf/a'))).toBe(false);
		expect(text('pdf/b')).toBe('2');
	});

	it('removes what was deleted, hidden or renamed, and says so', async () => {
		await createAll(library, 'a', 'b', 'c');
		await database.as(BOB).create(newSkill('bobs', { isPublic: true }));
		await sync();
		await library.remove({ name: 'a' });
		await library.update({ name: 'b' }, { name: 'b2' });
		await database.as(BOB).update({ name: 'bobs' }, { isPublic: false });
		expect(brief(await sync()).sort()).toEqual([
			['a', 'removed'],
			['b', 'removed'],
			['b2', 'written'],
			['bobs', 'removed'],
			['c', 'unchanged'],
		]);
		expect(shown()).toEqual(['b2', 'c']);
	});

	it('writes chosen skills; of what is missing or forbidden it says the same', async () => {
		await createAll(library, 'a', 'b');
		const secret = await database.as(BOB).create(newSkill('secret'));
		const { id } = await library.find({ name: 'a' });
		const skills = [{ id }, { name: 'B' }, { id: secret.id }, { name: 'absent' }, { id: 'none' }];
		const statuses = await sync({ skills });
		const reason = expect.stringContaining('no such skill, or this user may not see it. Check');
		const missing = { ok: false, action: 'not found or access denied', reason };
		expect(statuses).toEqual(
			expect.arrayContaining([
				{ id, name: 'a', ok: true, action: 'written' },
				{ id: secret.id, name: '', ...missing },
				{ id: 'none', name: '', ...missing },
				{ id: '', name: 'absent', ...missing, reason: expect.stringContaining('Check the name') },
			]),
		);
		expect(statuses).toHaveLength(5);
		expect(shown()).toEqual(['a', 'b']);
	});

	it('takes back a skill that the user may no longer see', async () => {
		const { id } = await database.as(BOB).create(newSkill('bobs', { isPublic: true }));
		await sync({ skills: [{ id }] });
		await database.as(BOB).update({ id }, { isPublic: false });
		expect(brief(await sync({ skills: [{ id }] }))).toEqual([
			['', 'not found or access denied'],
			['bobs', 'removed'],
		]);
		expect(shown()).toEqual([]);
	});

	it("writes one's own skill before the system's and others' of the same name, and tells", async () => {
		await database.as(BOB).create(newSkill('pdf', { isPublic: true, content: 'bob' }));
		await database.as(ADMIN).create(newSkill('pdf', { ownerId: null, content: 'system' }));
		expect(brief(await sync())).toEqual([
			['pdf', 'shadowed'],
			['pdf', 'written'],
		]);
		expect(text('pdf/SKILL.md')).toContain('---\nsystem');
		await library.create(newSkill('pdf', { content: 'mine' }));
		const statuses = await sync();
		expect(text('pdf/SKILL.md')).toContain('---\nmine');
		expect(statuses).toMatchObject([
			{ ok: true, action: 'shadowed', reason: expect.stringContaining('"ann"') },
			{ ok: true, action: 'shadowed', reason: expect.stringContaining('"ann"') },
			{ ok: true, action: 'written' },
		]);
	});

	it('a skill that was asked for by ID and is shadowed has failed', async () => {
		const { id } = await database.as(ADMIN).create(newSkill('pdf', { ownerId: null }));
		await library.create(newSkill('pdf', { content: 'mine' }));
		expect(await sync({ skills: [{ id }, { name: 'pdf' }] })).toMatchObject([
			{ id, ok: false, action: 'failed', reason: expect.stringContaining('comes first') },
			{ ok: true, action: 'written' },
		]);
	});

	it('takes back what an administrator saw once the switch is off', async () => {
		await createAll(library, 'anns');
		await database.as(BOB).create(newSkill('bobs'));
		const as = async (isAdministrator: boolean) =>
			brief(
				await syncSkills(database.as({ ...BOB, isAdministrator }), {
					...{ folder, access: openAccess, key: 'k', style },
					...{ ...asBob, isAdministrator },
				}),
			);
		await as(true);
		expect(shown()).toEqual(['anns', 'bobs']);
		expect(await as(false)).toEqual([
			['bobs', 'unchanged'],
			['anns', 'removed'],
		]);
		expect(shown()).toEqual(['bobs']);
		expect(await as(true)).toEqual([
			['bobs', 'unchanged'],
			['anns', 'written'],
		]);
	});

	it('writes the skills of another library, though it has seen as many changes', async () => {
		await createAll(library, 'a', 'b');
		await sync();
		const other = (await openNew(newPlace)).database;
		await createAll(other.as(ANN), 'b', 'c');
		const options = { folder, access: openAccess, key: 'k', style, ...asAnn, database: 'two' };
		expect(brief(await syncSkills(other.as(ANN), options)).sort()).toEqual([
			['a', 'removed'],
			['b', 'written'],
			['c', 'written'],
		]);
		await other.close();
	});

	it('a name that no disk takes fails its skill only', async () => {
		const long = '\u{20000}'.repeat(64);
		await createAll(library, 'a', long, 'b');
		expect(await sync()).toMatchObject([
			{ name: long, action: 'failed', reason: expect.stringContaining('Rename') },
			{ name: 'a', action: 'written' },
			{ name: 'b', action: 'written' },
		]);
		expect(shown()).toEqual(['a', 'b']);
	});

	it('a place that cannot be looked at fails its skill only', async () => {
		await createAll(library, 'a', 'b');
		const standing = SyncFolder.prototype.standing;
		jest.spyOn(SyncFolder.prototype, 'standing').mockImplementation(function (this: never, name) {
			if (name === 'a') throw new Error('EIO: i/o error');
			return standing.call(this, name);
		});
		expect(await sync()).toMatchObject([
			{ name: 'a', action: 'failed', reason: expect.stringContaining('EIO') },
			{ name: 'b', action: 'written' },
		]);
	});

	it('filters by tags', async () => {
		await library.create(newSkill('a', { tags: ['x'] }));
		await library.create(newSkill('b'));
		expect(brief(await sync({ query: { tags: ['x'] } }))).toEqual([['a', 'written']]);
		expect(brief(await sync())).toEqual([
			['a', 'unchanged'],
			['b', 'written'],
		]);
		expect(brief(await sync({ query: { tags: ['x'] } }))).toEqual([
			['a', 'unchanged'],
			['b', 'removed'],
		]);
	});

	it('mends files that somebody changed or deleted', async () => {
		await library.create(newSkill('a', { files: newFiles({ x: 'x' }) }));
		await createAll(library, 'b', 'c');
		await sync();
		rmSync(join(folder, 'a/x'));
		writeFileSync(join(folder, 'b/SKILL.md'), 'mine now');
		rmSync(join(folder, 'c'), { recursive: true });
		expect(brief(await sync()).sort()).toEqual([
			['a', 'written'],
			['b', 'written'],
			['c', 'written'],
		]);
		expect(text('a/x')).toBe('x');
		expect(text('b/SKILL.md')).toContain('# b');
	});

	describe("what is somebody else's", () => {
		it('is never written over, and one refusal stops no other', async () => {
			mkdirSync(join(folder, 'a'));
			writeFileSync(join(folder, 'a/own.txt'), 'own');
			writeFileSync(join(folder, 'b'), 'a file');
			const elsewhere = await tempTree({ 'SKILL.md': 'elsewhere' });
			symlinkSync(elsewhere, join(folder, 'c'));
			symlinkSync('.skills-data/../d2', join(folder, 'd'));
			await createAll(library, 'a', 'b', 'c', 'd', 'e');
			const statuses = await sync();
			expect(brief(statuses).sort()).toEqual([
				['a', 'failed'],
				['b', 'failed'],
				['c', 'failed'],
				['d', 'failed'],
				['e', 'written'],
			]);
			expect(statuses[0].reason).toMatch(/already a "a".*is not ours.*Rename/);
			expect(text('a/own.txt')).toBe('own');
			expect(text('b')).toBe('a file');
			expect(readdirSync(elsewhere)).toEqual(['SKILL.md']);
			expect(readFileSync(join(elsewhere, 'SKILL.md'), 'utf8')).toBe('elsewhere');
			expect(
				brief(await sync({ clean: true })).filter(([, action]) => action === 'failed'),
			).toHaveLength(4);
		});

		it('is never removed, even where a skill of ours was', async () => {
			await createAll(library, 'a');
			await sync();
			rmSync(join(folder, 'a'), { recursive: true });
			mkdirSync(join(folder, 'a'));
			writeFileSync(join(folder, 'a/own.txt'), 'own');
			mkdirSync(join(folder, 'other'));
			await library.remove({ name: 'a' });
			expect(await sync()).toMatchObject([
				{ name: 'a', action: 'failed', reason: expect.stringContaining('left alone') },
			]);
			expect(text('a/own.txt')).toBe('own');
			expect(shown()).toEqual(['a', 'other']);
			expect(await sync()).toEqual([]);
		});

		it('stays so when it is a copy of a skill, whatever it holds', async () => {
			await createAll(library, 'pdf');
			await sync();
			const options = { recursive: true, verbatimSymlinks: true };
			cpSync(join(folder, 'pdf'), join(folder, 'mine'), options);
			if (style === 'folders') writeFileSync(join(folder, 'mine/notes.txt'), 'precious');
			await createAll(library, 'mine');
			expect(await sync()).toMatchObject([
				{ name: 'pdf', action: 'unchanged' },
				{ name: 'mine', action: 'failed', reason: expect.stringContaining('not ours') },
			]);
			await library.update({ name: 'pdf' }, { content: 'second' });
			await sync();
			later(10 * SYNC_GRACE_MS);
			await sync();
			expect(text('pdf/SKILL.md')).toContain('second');
			expect(text('mine/SKILL.md')).toContain('# pdf');
			if (style === 'folders') expect(text('mine/notes.txt')).toBe('precious');
		});

		it('stays so when it is a copy and the manifest was damaged', async () => {
			await createAll(library, 'pdf');
			await sync();
			const options = { recursive: true, verbatimSymlinks: true };
			cpSync(join(folder, 'pdf'), join(folder, 'mine'), options);
			await createAll(library, 'mine');
			writeFileSync(join(folder, '.skills-data/manifest.json'), '{');
			expect(await sync()).toContainEqual(
				expect.objectContaining({ name: 'mine', action: 'failed' }),
			);
			expect(text('mine/SKILL.md')).toContain('# pdf');
		});

		it('a data folder that is a link is refused: nothing is written through it', async () => {
			const elsewhere = await tempTree();
			symlinkSync(elsewhere, join(folder, '.skills-data'));
			await createAll(library, 'a');
			await expect(sync()).rejects.toMatchObject({ code: 'source-blocked' });
			expect(readdirSync(elsewhere)).toEqual([]);
		});

		it('a manifest or lock that is a link is replaced, not written through', async () => {
			const elsewhere = await tempTree({ victim: 'untouched', old: 'untouched' });
			mkdirSync(join(folder, '.skills-data'));
			symlinkSync(join(elsewhere, 'victim'), join(folder, '.skills-data/manifest.json'));
			await createAll(library, 'a');
			expect(brief(await sync())).toEqual([['a', 'written']]);
			expect(readFileSync(join(elsewhere, 'victim'), 'utf8')).toBe('untouched');
			symlinkSync(join(elsewhere, 'old'), join(folder, '.skills-data/lock'));
			later(10 * SYNC_GRACE_MS);
			expect(brief(await sync())).toEqual([['a', 'unchanged']]);
			expect(readFileSync(join(elsewhere, 'old'), 'utf8')).toBe('untouched');
		});

		it('a path that n8n forbids is refused before anything is made', async () => {
			const blocked = {
				isBlocked: (path: string) => path.includes('secret'),
				explain: () => 'Ask.',
			};
			const target = join(folder, 'x/secret/skills');
			await expect(sync({ folder: target, access: blocked })).rejects.toMatchObject({
				code: 'source-blocked',
				hint: 'Ask.',
			});
			symlinkSync('secret-real', join(folder, 'harmless'));
			mkdirSync(join(folder, 'secret-real'));
			await expect(
				sync({ folder: join(folder, 'harmless/skills'), access: blocked }),
			).rejects.toMatchObject({ code: 'source-blocked' });
			expect(readdirSync(folder).sort()).toEqual(['harmless', 'secret-real']);
		});
	});

	describe('two syncs in one folder', () => {
		it('leave alone what the other wrote', async () => {
			await createAll(library, 'a', 'b', 'c');
			const only = (name: string, key: string) => sync({ skills: [{ name }], key });
			await only('a', 'one');
			expect(brief(await only('b', 'two'))).toEqual([['b', 'written']]);
			expect(brief(await only('c', 'one'))).toEqual([
				['c', 'written'],
				['a', 'removed'],
			]);
			expect(shown()).toEqual(['b', 'c']);
		});

		it('share a skill; it goes when the last one lets it go', async () => {
			await createAll(library, 'a');
			await sync({ key: 'one' });
			expect(brief(await sync({ key: 'two' }))).toEqual([['a', 'unchanged']]);
			expect(await sync({ key: 'one', skills: [] })).toMatchObject([
				{ action: 'removed', reason: expect.stringContaining('still keeps') },
			]);
			expect(shown()).toEqual(['a']);
			expect(brief(await sync({ key: 'two', skills: [] }))).toEqual([['a', 'removed']]);
			expect(shown()).toEqual([]);
		});

		it("refuse each other's other skill of the same name", async () => {
			await createAll(library, 'a');
			await database.as(BOB).create(newSkill('a', { content: 'bob' }));
			await sync();
			const bobs = await syncSkills(database.as(BOB), {
				folder,
				access: openAccess,
				key: 'bob',
				...asBob,
				style,
			});
			expect(bobs).toMatchObject([
				{ action: 'failed', reason: expect.stringContaining('is not ours') },
			]);
			expect(text('a/SKILL.md')).toContain('# a');
			// As for any folder of that name: Bob does not learn that Ann has such a skill.
			mkdirSync(join(folder, 'b'));
			await database.as(BOB).create(newSkill('b'));
			const own = { folder, access: openAccess, key: 'bob', ...asBob, style };
			const [first, second] = await syncSkills(database.as(BOB), own);
			expect(second.reason?.replaceAll('"b"', '"a"')).toBe(first.reason);
		});

		it('at the same time come one after the other, and lose nothing', async () => {
			const names = Array.from({ length: 20 }, (__, index) => `s${index}`);
			await createAll(library, ...names);
			const keys = ['one', 'two', 'three', 'four'];
			const all = await Promise.all(keys.map((key) => sync({ key, clean: true })));
			for (const statuses of all) expect(statuses.every(({ ok }) => ok)).toBe(true);
			expect(shown()).toHaveLength(20);
			for (const key of keys) expect(brief(await sync({ key }))).toHaveLength(20);
		});
	});

	describe('a sync that was killed', () => {
		it('leaves a folder that the next one heals', async () => {
			await createAll(library, 'a', 'b');
			await sync();
			await library.update({ name: 'a' }, { content: 'second' });
			await createAll(library, 'c');
			const dying = {
				...pick(library),
				get: async () => await Promise.reject(new Error('died')),
			};
			await syncSkills(dying, { folder, access: openAccess, key: 'k', ...asAnn, style });
			writeFileSync(join(folder, '.skills-data/v-00000000dead'), 'half');
			writeFileSync(
				join(folder, '.skills-data/lock'),
				JSON.stringify({ token: 'x', host: 'gone', pid: 1 }),
			);
			const past = new Date(Date.now() - 10 * SYNC_GRACE_MS);
			utimesSync(join(folder, '.skills-data/lock'), past, past);
			expect(text('a/SKILL.md')).toContain('# a');
			expect(brief(await sync()).sort()).toEqual([
				['a', 'written'],
				['b', 'unchanged'],
				['c', 'written'],
			]);
			later(10 * SYNC_GRACE_MS);
			await sync();
			expect(existsSync(join(folder, '.skills-data/v-00000000dead'))).toBe(false);
		});

		it('is known by what it wrote, though it could not note it any more', async () => {
			await createAll(library, 'a', 'b');
			await sync();
			await library.update({ name: 'a' }, { content: 'second' });
			const manifest = join(folder, '.skills-data/manifest.json');
			let claimed = '';
			const watched = {
				...pick(library),
				get: async (ref: { id: string }) => {
					claimed = readFileSync(manifest, 'utf8');
					return await library.get(ref);
				},
			} as Library;
			const options = { folder, access: openAccess, key: 'k', ...asAnn, style };
			await syncSkills(watched, options);
			writeFileSync(manifest, claimed);
			expect(brief(await sync())).toEqual([
				['b', 'unchanged'],
				['a', 'written'],
			]);
			later(10 * SYNC_GRACE_MS);
			await sync();
			later(20 * SYNC_GRACE_MS);
			await sync();
			expect(text('a/SKILL.md')).toContain('second');
			const left = readdirSync(join(folder, '.skills-data'));
			expect(left).toHaveLength(style === 'links' ? 3 : 1);
		});

		it('does not keep others out: what gives no sign of life is taken for dead', async () => {
			await createAll(library, 'a');
			await sync();
			const lock = join(folder, '.skills-data/lock');
			writeFileSync(lock, JSON.stringify({ token: 'x' }));
			const all = await Promise.all([sync(), sync(), sync()]);
			for (const statuses of all) expect(brief(statuses)).toEqual([['a', 'unchanged']]);
			expect(existsSync(lock)).toBe(false);
		});
	});

	it('waits for a living one, though its container has the same host name and process number', async () => {
		await createAll(library, 'a');
		await sync();
		const lock = join(folder, '.skills-data/lock');
		writeFileSync(lock, JSON.stringify({ token: 'x', host: hostname(), pid: process.pid }));
		const beat = setInterval(() => utimesSync(lock, new Date(), new Date()), 50);
		let isDone = false;
		const waiting = sync().finally(() => (isDone = true));
		await new Promise((resolve) => setTimeout(resolve, 2000));
		clearInterval(beat);
		expect(isDone).toBe(false);
		expect(readFileSync(lock, 'utf8')).toContain('"x"');
		rmSync(lock);
		expect(brief(await waiting)).toEqual([['a', 'unchanged']]);
	});

	it('stops where another sync took it for dead, and leaves its lock alone', async () => {
		await createAll(library, 'a', 'b');
		const lock = join(folder, '.skills-data/lock');
		const slow = {
			...pick(library),
			get: async (ref: { id: string }) => {
				writeFileSync(lock, JSON.stringify({ token: 'other' }));
				return await library.get(ref);
			},
		} as Library;
		const options = { folder, access: openAccess, key: 'k', ...asAnn, style };
		await expect(syncSkills(slow, options)).rejects.toThrow('took over the folder');
		expect(readFileSync(lock, 'utf8')).toContain('other');
		rmSync(lock);
		expect((await sync()).every(({ ok }) => ok)).toBe(true);
	});

	it.each([
		'{',
		'{"version":1}',
		'[]',
		'{"version":1,"syncs":{},"skills":{"../x":{}},"trash":[]}',
		'\0',
	])(
		'a damaged manifest (%j) is treated as unknown: nothing is deleted, and what is written is right',
		async (damage) => {
			await createAll(library, 'a', 'b');
			await sync();
			await library.remove({ name: 'b' });
			await library.update({ name: 'a' }, { content: 'second' });
			writeFileSync(join(folder, '.skills-data/manifest.json'), damage);
			expect(brief(await sync())).toEqual([['a', 'written']]);
			expect(text('b/SKILL.md')).toContain('# b');
			expect(text('a/SKILL.md')).toContain('second');
			await createAll(library, 'c');
			later(10 * SYNC_GRACE_MS);
			await sync();
			expect(text('b/SKILL.md')).toContain('# b');
		},
	);

	it('keeps replaced files for those who read them, then removes them', async () => {
		await createAll(library, 'a');
		await sync();
		const first = realpathSync(join(folder, 'a'));
		await library.update({ name: 'a' }, { content: 'second' });
		await sync();
		if (style === 'links') expect(readFileSync(join(first, 'SKILL.md'), 'utf8')).toContain('# a');
		const amount = readdirSync(join(folder, '.skills-data')).length;
		later(10 * SYNC_GRACE_MS);
		await sync();
		expect(readdirSync(join(folder, '.skills-data')).length).toBe(amount - 1);
		expect(text('a/SKILL.md')).toContain('second');
	});

	it('what cannot be deleted is tried again later; it stops nothing', async () => {
		await createAll(library, 'a', 'b');
		await sync();
		for (const name of ['a', 'b']) await library.update({ name }, { content: 'second' });
		await sync();
		const { trash } = JSON.parse(text('.skills-data/manifest.json')) as { trash: string[][] };
		const [[stuck]] = trash;
		const rm = fsPromises.rm;
		jest.spyOn(fsPromises, 'rm').mockImplementation(async (path, options) => {
			if (String(path).endsWith(stuck)) throw new Error('EACCES: permission denied');
			await rm(path, options);
		});
		later(10 * SYNC_GRACE_MS);
		await library.update({ name: 'a' }, { content: 'third' });
		expect(brief(await sync()).sort()).toEqual([
			['a', 'written'],
			['b', 'unchanged'],
		]);
		const left = () => readdirSync(join(folder, '.skills-data'));
		expect(left()).toContain(stuck);
		expect(left()).not.toContain(trash[1][0]);
		expect((await sync()).map(({ action }) => action)).toEqual(['unchanged', 'unchanged']);
		jest.restoreAllMocks();
		later(20 * SYNC_GRACE_MS);
		await sync();
		expect(left()).not.toContain(stuck);
	});

	it('a clean-up that fails takes no status away', async () => {
		await createAll(library, 'a');
		const broken = jest.spyOn(SyncFolder.prototype, 'cleanUp').mockRejectedValue(new Error('EIO'));
		expect(brief(await sync())).toEqual([['a', 'written']]);
		expect(broken).toHaveBeenCalled();
		expect(brief(await sync())).toEqual([['a', 'unchanged']]);
	});

	it('a file that cannot be written fails its skill only, and the old one stays', async () => {
		await createAll(library, 'a', 'b');
		await sync();
		await library.update({ name: 'a' }, { content: 'second' });
		await library.update({ name: 'b' }, { content: 'second' });
		const bad = {
			...pick(library),
			get: async (ref: { id: string }) => {
				const whole = await library.get(ref);
				const evil = { ...blankFile, path: '../../escaped' };
				return whole.name === 'a' ? { ...whole, files: [evil] } : whole;
			},
		} as Library;
		const statuses = await syncSkills(bad, {
			folder,
			access: openAccess,
			key: 'k',
			...asAnn,
			style,
		});
		expect(statuses).toMatchObject([
			{ name: 'a', action: 'failed', reason: expect.stringContaining('not allowed') },
			{ name: 'b', action: 'written' },
		]);
		expect(text('a/SKILL.md')).toContain('# a');
		expect(existsSync(join(folder, '../escaped'))).toBe(false);
		expect(brief(await sync())).toEqual([
			['b', 'unchanged'],
			['a', 'written'],
		]);
	});

	it('tells how far it is', async () => {
		await createAll(library, 'a', 'b');
		const seen: unknown[] = [];
		await sync({ onProgress: (done, total, { name }) => seen.push([done, total, name]) });
		expect(seen).toEqual([
			[1, 2, 'a'],
			[2, 2, 'b'],
		]);
	});

	it('works in a folder that is moved with all that is in it', async () => {
		await createAll(library, 'a');
		await sync();
		const moved = `${folder}-moved`;
		renameSync(folder, moved);
		expect(readFileSync(join(moved, 'a/SKILL.md'), 'utf8')).toContain('# a');
		if (style === 'links') expect(readlinkSync(join(moved, 'a'))).toMatch(/^\.skills-data\/v-/);
		rmSync(moved, { recursive: true });
	});
});

it('who reads meanwhile sees the old or the new skill, never half and never nothing', async () => {
	const folder = await tempTree();
	const { database } = await openNew(DATABASES[0][1]);
	const library = database.as(ANN);
	const generation = (number: number) =>
		newSkill('a', {
			content: `generation ${number}.`,
			files: newFiles(
				Object.fromEntries(
					Array.from({ length: 10 }, (_, file) => [`f/${file}`, `generation ${number}.`]),
				),
			),
		});
	const options = { folder, access: openAccess, key: 'k', ...asAnn };
	await library.create(generation(0));
	await syncSkills(library, options);
	const reader = spawn(process.execPath, ['-e', READER, join(folder, 'a')], { stdio: 'pipe' });
	let output = '';
	reader.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	await new Promise<void>((resolve) => reader.stdout.once('data', () => resolve()));
	for (let number = 1; number <= 150; number++) {
		await library.update({ name: 'a' }, generation(number));
		await syncSkills(library, options);
	}
	reader.stdin.end();
	await new Promise((resolve) => reader.once('close', resolve));
	const { reads, generations, problems } = JSON.parse(output.split('\n')[1]) as {
		reads: number;
		generations: number;
		problems: string[];
	};
	expect(problems).toEqual([]);
	expect(reads).toBeGreaterThan(100);
	expect(generations).toBeGreaterThan(10);
	await database.close();
}, 60_000);

/** Reads a skill again and again, by its name and as one folder, until its input ends. */
const READER = `
const { readFileSync, realpathSync } = require('node:fs');
const names = ['SKILL.md', ...Array.from({ length: 10 }, (_, file) => 'f/' + file)];
const seen = new Set();
const problems = [];
let reads = 0;
const read = (dir, name) => /generation \\d+\\./.exec(readFileSync(dir + '/' + name, 'utf8'))?.[0] ?? name + ' is half';
const look = () => {
	try {
		for (const name of names) if (read(process.argv[1], name).includes('half')) problems.push(name);
		const dir = realpathSync(process.argv[1]);
		const found = new Set(names.map((name) => read(dir, name)));
		if (found.size !== 1) problems.push([...found].join());
		for (const one of found) seen.add(one);
	} catch (error) {
		problems.push(String(error));
	}
	if (++reads === 1) console.log('ready');
	if (problems.length < 5) timer = setImmediate(look);
};
let timer = setImmediate(look);
process.stdin.on('end', () => {
	clearImmediate(timer);
	console.log(JSON.stringify({ reads, generations: seen.size, problems }));
}).resume();
`;

it('kill -9 at any moment leaves whole skills, and the next sync heals the folder', async () => {
	const folder = await tempTree();
	const { database } = await openNew(DATABASES[0][1]);
	const library = database.as(ANN);
	const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
	await createAll(library, ...names);
	const options = { folder, access: openAccess, key: 'k', ...asAnn };
	for (const delay of [5, 40, 120, 300]) {
		const script = join(__dirname, 'support/endless-sync.ts');
		const file = join(await tempTree(), 'library.sqlite');
		const child = spawn(
			process.execPath,
			['-r', 'ts-node/register/transpile-only', script, folder, file, ...names],
			{ stdio: ['ignore', 'pipe', 'inherit'] },
		);
		await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
		await new Promise((resolve) => setTimeout(resolve, delay));
		child.kill('SIGKILL');
		await new Promise((resolve) => child.once('close', resolve));
		for (const name of readdirSync(folder).filter((one) => !one.startsWith('.'))) {
			const text = readFileSync(join(folder, name, 'SKILL.md'), 'utf8');
			if (text.endsWith('Do it.\n')) continue;
			expect(text).toMatch(/the end$/);
			expect(readFileSync(join(folder, name, 'data.txt'), 'utf8')).toMatch(/the end$/);
		}
		const statuses = await syncSkills(library, options);
		expect(statuses.filter(({ ok }) => !ok)).toEqual([]);
		expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toHaveLength(20);
		expect(readFileSync(join(folder, 's7/SKILL.md'), 'utf8')).toContain('# s7');
	}
	const now = Date.now() + 10 * SYNC_GRACE_MS;
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	await syncSkills(library, options);
	jest.restoreAllMocks();
	const left = readdirSync(join(folder, '.skills-data')).filter((name) => name !== 'manifest.json');
	expect(left).toHaveLength(20);
	await database.close();
}, 120_000);

const blankFile = { id: '', size: 0, hash: '', isBinary: false, content: Buffer.from('x') };

/** Gives back the methods of a library that a sync uses, to replace some. */
function pick(library: Library): Library {
	return {
		stamp: () => library.stamp(),
		list: (query?: object) => library.list(query),
		find: (ref: { id: string }) => library.find(ref),
		get: (ref: { id: string }) => library.get(ref),
	} as unknown as Library;
}
