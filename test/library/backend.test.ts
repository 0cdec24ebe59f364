import { createLibraryBackend, type LibraryOptions } from '../../nodes/core/backends';
import { deliverLoaded } from '../../nodes/core/conversation';
import { listAll } from '../../nodes/core/library/choose';
import { MAX_SKILL_FILE_BYTES } from '../../nodes/core/limits';
import { LibraryError, type Library } from '../../nodes/core/library/types';
import { clearRegistryCache } from '../../nodes/core/registry';
import { createSkillSet, type Refreshed } from '../../nodes/core/skillset';
import type { SkillMetadata, SkillSet } from '../../nodes/core/types';
import { describeBackendContract } from '../core/backends/contract';
import { insideFolder } from '../core/backends/inside';
import {
	answer,
	load,
	memoryBackend,
	newStore,
	setOf,
	skillTree,
	toolContext,
	type Tree,
} from '../core/support';
import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';
import { createAll, newFiles, newSkill } from './support/skills';

const opened: LibraryUnderTest[] = [];
afterEach(async () => {
	for (const test of opened.splice(0)) await test.close();
});

describe.each(DATABASES)('%s', (kind, newPlace) => {
	const openAny = async () => {
		const test = await openNew(newPlace);
		opened.push(test);
		return test;
	};

	describeBackendContract(`library in ${kind}`, async (tree: Tree) => {
		const test = await openAny();
		const library = test.as('ann');
		const files = newFiles(tree);
		await library.create(newSkill('all', { files }));
		const open = () => createLibraryBackend({ database: test.database, user: 'ann' });
		const inside = () => insideFolder(open(), '/all', ['/SKILL.md']);
		return {
			backend: inside(),
			change: async (changes) => {
				for (const { path, content } of newFiles(changes) ?? []) {
					await library.putFile({ name: 'all' }, path, content);
				}
				return inside();
			},
		};
	});

	describe('a library as a place of skills', () => {
		let test: LibraryUnderTest;
		let ann: Library;

		beforeEach(async () => {
			clearRegistryCache();
			test = await openAny();
			ann = test.as('ann');
		});

		const backendFor = (more: Partial<LibraryOptions> = {}) =>
			createLibraryBackend({ database: test.database, user: 'ann', ...more });
		const setFor = (more: Partial<LibraryOptions> = {}) => setOf(backendFor(more));
		const namesIn = async (set: SkillSet) =>
			(await set.refresh()).skills.map((skill) => skill.name);

		it('offers what the user may see', async () => {
			await createAll(ann, 'own');
			await test.as('bob').create(newSkill('public', { isPublic: true }));
			await test.as('bob').create(newSkill('private'));
			await test.as('root', true).create(newSkill('system', { ownerId: null }));
			expect(await namesIn(setFor())).toEqual(['own', 'public', 'system']);
			expect(await namesIn(setFor({ user: null }))).toEqual(['public', 'system']);
			expect(await namesIn(setFor({ user: 'bob' }))).toEqual(['private', 'public', 'system']);
		});

		it('reads nothing that is not offered, whoever guesses its path', async () => {
			await test.as('bob').create(newSkill('private', { files: newFiles({ x: 'secret' }) }));
			await ann.create(newSkill('other', { files: newFiles({ x: 'other' }) }));
			const backend = backendFor({ names: ['nothing'] });
			const paths = ['/private/SKILL.md', '/private/x', '/other/SKILL.md', '/other/x'];
			const results = await backend.read(paths, 1000);
			expect(results.map((one) => 'error' in one && one.error)).toEqual(
				paths.map(() => 'not_found'),
			);
			expect(await backend.list('/private')).toBeNull();
		});

		it('loads instructions that make a SKILL.md of 10 MiB', async () => {
			const content = `${'wörter '.repeat(MAX_SKILL_FILE_BYTES / 8 - 20)}END`;
			await ann.create(newSkill('large', { content, files: newFiles({ x: 'y' }) }));
			const set = setFor();
			const [large] = (await set.refresh()).skills;
			const loaded = await set.load(large);
			expect('body' in loaded && loaded.body === content).toBe(true);
		});

		it('filters by tags and by names, in any spelling', async () => {
			await ann.create(newSkill('a', { tags: ['X', 'y'] }));
			await ann.create(newSkill('b', { tags: ['x'] }));
			await ann.create(newSkill('c-d'));
			expect(await namesIn(setFor({ tags: ['x'] }))).toEqual(['a', 'b']);
			expect(await namesIn(setFor({ tags: ['x', 'Y'] }))).toEqual(['a']);
			expect(await namesIn(setFor({ names: ['C_D', 'b', 'absent'] }))).toEqual(['b', 'c-d']);
			expect(await namesIn(setFor({ tags: [], names: [] }))).toEqual(['a', 'b', 'c-d']);
		});

		it('tells all that the frontmatter says', async () => {
			await ann.create(
				newSkill('pdf', {
					extras: {
						license: 'MIT',
						compatibility: 'any',
						'allowed-tools': ['Read', 'Write'],
						metadata: { author: 'me', nested: { a: ['b'] } },
						'disable-model-invocation': 'true',
						unknown: 'x',
					},
				}),
			);
			const { skills, diagnostics } = await setFor().refresh();
			expect(diagnostics).toEqual([]);
			expect(skills).toMatchObject([
				{
					name: 'pdf',
					description: 'What pdf does',
					directory: 'library:/pdf',
					license: 'MIT',
					compatibility: 'any',
					allowedTools: ['Read', 'Write'],
					metadata: { author: 'me', nested: '{"a":["b"]}' },
					modelInvocable: false,
				},
			]);
		});

		it('discovers in one query without texts, and revalidates in one that is always the same', async () => {
			await createAll(ann, ...Array.from({ length: 30 }, (_, index) => `s${index}`));
			const stamps = (statements: string[]) => statements.filter((one) => /sequence/.test(one));
			test.statements();
			await setFor().refresh();
			const cold = test.statements();
			const lists = cold.filter((one) => !stamps(cold).includes(one));
			expect(lists).toHaveLength(1);
			expect(lists[0]).not.toMatch(/bytes|blobs|skill_files/);
			await setFor().refresh();
			const warm = test.statements();
			expect(warm).toHaveLength(1);
			expect(stamps(warm)).toHaveLength(1);
		});

		it('gives the very same snapshot while nothing changed', async () => {
			await createAll(ann, 'a');
			const first = await setFor().refresh();
			expect(await setFor().refresh()).toBe(first);
			await createAll(ann, 'b');
			expect(await setFor().refresh()).not.toBe(first);
		});

		it('own over system over others of the same name; hidden ones are reported', async () => {
			await test.as('bob').create(newSkill('pdf', { isPublic: true, content: 'bob' }));
			await test.as('carl').create(newSkill('pdf', { isPublic: true, content: 'carl' }));
			const body = async () => {
				const set = setFor();
				const { skills, diagnostics } = await set.refresh();
				expect(skills).toHaveLength(1);
				const document = await set.load(skills[0]);
				return [document, diagnostics.map(({ message }) => message)];
			};
			expect((await body())[0]).toMatchObject({ body: 'bob' });
			await test.as('root', true).create(newSkill('pdf', { ownerId: null, content: 'system' }));
			expect((await body())[0]).toMatchObject({ body: 'system' });
			await ann.create(newSkill('pdf', { content: 'mine' }));
			expect(await body()).toEqual([
				expect.objectContaining({ body: 'mine' }),
				expect.arrayContaining([
					'The skill "pdf" of "ann" is used; the one of the system is hidden by it.',
					'The skill "pdf" of "ann" is used; the one of "bob" is hidden by it.',
					'The skill "pdf" of "ann" is used; the one of "carl" is hidden by it.',
				]),
			]);
		});

		it('a listing of several pages loses nothing, even while the library changes', async () => {
			const names = Array.from({ length: 25 }, (_, index) => `s${String(index).padStart(2, '0')}`);
			await createAll(ann, ...names);
			let isFirst = true;
			const paged = {
				stamp: () => ann.stamp(),
				list: async (query: object) => {
					const page = await ann.list({ ...query, limit: 7 });
					if (isFirst) await ann.update({ name: 's24' }, { name: 'a-moved' });
					isFirst = false;
					return page;
				},
			} as Library;
			const { skills, stamp } = await listAll(paged);
			expect(skills.map(({ name }) => name)).toEqual(['a-moved', ...names.slice(0, 24)]);
			expect(stamp).toBe(await ann.stamp());
		});

		it('chains through Base Skills, in both directions', async () => {
			await ann.create(newSkill('shared', { content: 'from the library' }));
			await createAll(ann, 'only-library');
			const data = memoryBackend(skillTree({ shared: 'from data', 'only-data': 'd' }));
			const bodyOf = async (set: SkillSet, name: string) => {
				const { skills } = await set.refresh();
				const skill = skills.find((one) => one.name === name) as SkillMetadata;
				return await set.load(skill);
			};
			const above = setOf(data, { base: setFor() });
			expect(await namesIn(above)).toEqual(['only-data', 'only-library', 'shared']);
			expect(await bodyOf(above, 'shared')).toMatchObject({ body: '\n# shared\n' });
			const below = setOf(backendFor(), { base: setOf(data) });
			expect(await bodyOf(below, 'shared')).toMatchObject({ body: 'from the library' });
			expect(await bodyOf(below, 'only-data')).toMatchObject({ body: '\n# only-data\n' });
		});

		it('gives a loaded skill with its files, which can be read', async () => {
			const files = newFiles({ 'scripts/run.py': 'print(1)', 'notes.md': 'n' });
			await ann.create(newSkill('pdf', { content: 'Do {baseDir}/x', files }));
			const context = toolContext(setFor());
			const text = await load(context, 'pdf');
			expect(text).toContain('Do library:/pdf/x');
			expect(text).toContain('- [script] `scripts/run.py`');
			const args = { skill_name: 'pdf', paths: ['scripts/run.py', 'absent'] };
			const read = await answer(context, 'read_skill_file', args);
			expect(read).toContain('print(1)');
			expect(read).toContain("no file 'absent'. Its files: scripts/run.py, notes.md");
		});

		describe('a change is seen by the next tool call, even within the moment that n8n remembers', () => {
			/** A skill set as n8n makes it for a tool call: all share one memory of the execution. */
			let remembered: Refreshed | undefined;
			const next = () =>
				createSkillSet({
					backend: backendFor(),
					sources: [{ path: '/', label: 'Library' }],
					memory: { recall: () => remembered, keep: (one) => (remembered = one) },
				});
			const context = (store = newStore()) => toolContext(next(), { store });
			beforeEach(() => (remembered = undefined));

			it('load: new text, new skills, deleted and forbidden ones', async () => {
				await createAll(ann, 'a', 'gone');
				await test.as('bob').create(newSkill('bobs', { isPublic: true }));
				await next().refresh();
				await ann.update({ name: 'a' }, { content: 'second' });
				await createAll(ann, 'new');
				await ann.remove({ name: 'gone' });
				await test.as('bob').update({ name: 'bobs' }, { isPublic: false });
				expect(await load(context(), 'a')).toContain('second');
				expect(await load(context(), 'new')).toContain('# new');
				expect(await load(context(), 'gone')).toMatch(/^Error/);
				expect(await load(context(), 'bobs')).toMatch(/^Error/);
			});

			it('load again: a changed skill is delivered anew, an unchanged one is not', async () => {
				await createAll(ann, 'a');
				const store = newStore();
				await load(context(store), 'a');
				expect(await load(context(store), 'a')).toContain('already loaded');
				await ann.update({ name: 'a' }, { content: 'second' });
				expect(await load(context(store), 'a')).toContain('second');
				expect(await load(context(store), 'a')).toContain('already loaded');
			});

			it('what is recorded of a load is the text that was given, not the remembered one', async () => {
				await createAll(ann, 'a');
				const store = newStore();
				await next().refresh();
				const { contentHash } = await ann.update({ name: 'a' }, { content: 'second' });
				await load(context(store), 'a');
				expect(await store.read()).toMatchObject([{ name: 'a', hash: contentHash }]);
			});

			it('search and read', async () => {
				await ann.create(newSkill('a', { files: newFiles({ x: 'first' }) }));
				await next().refresh();
				await ann.putFile({ name: 'a' }, 'x', Buffer.from('second'));
				await ann.create(newSkill('invoices'));
				const read = { skill_name: 'a', paths: ['x'] };
				expect(await answer(context(), 'read_skill_file', read)).toContain('second');
				expect(await answer(context(), 'search_skills', { query: 'invoices' })).toContain(
					'**invoices**',
				);
			});

			it('a skill that was deleted and made again is the new one', async () => {
				await createAll(ann, 'a');
				await next().refresh();
				await ann.remove({ name: 'a' });
				await ann.create(newSkill('a', { content: 'another' }));
				expect(await load(context(), 'a')).toContain('another');
			});
		});

		describe('usage', () => {
			const counted = async (name: string) => {
				const usage = await ann.usage({ by: 'user' });
				return usage.filter((one) => one.name === name).map(({ user, loads }) => [user, loads]);
			};
			/** A load is counted after its answer was given: waits until so many are. */
			const loadsOf = async (name: string, expected: number) => {
				for (let tries = 0; tries < 200; tries++) {
					const [first] = await counted(name);
					if ((first?.[1] ?? 0) === expected) break;
					await new Promise((resolve) => setTimeout(resolve, 50));
				}
				return await counted(name);
			};

			it('a load is counted once, for its user; loading again is not', async () => {
				await createAll(ann, 'a', 'b');
				const context = toolContext(setFor());
				await load(context, 'a');
				await load(context, 'a');
				expect(await loadsOf('a', 1)).toEqual([['ann', 1]]);
				expect(await counted('b')).toEqual([]);
				await load(toolContext(setFor()), 'a');
				expect(await loadsOf('a', 2)).toEqual([['ann', 2]]);
			});

			it('through a chain of sources too; reading and searching are no loads', async () => {
				await createAll(ann, 'a', 'b');
				const base = setOf(memoryBackend(skillTree({ x: 'd' })), { base: setFor() });
				const context = toolContext(setOf(memoryBackend(skillTree({ y: 'd' })), { base }));
				await load(context, 'a');
				await load(context, 'x');
				await answer(context, 'read_skill_file', { skill_name: 'b', paths: ['x'] });
				await answer(context, 'search_skills', { query: 'b' });
				expect(await loadsOf('a', 1)).toEqual([['ann', 1]]);
				expect(await counted('b')).toEqual([]);
			});

			it('what a person asks for by /name is counted, what is given again is not', async () => {
				await createAll(ann, 'a');
				const skills = setFor();
				const store = newStore();
				const conversation = {
					skills,
					snapshot: await skills.refresh(),
					store,
					execution: 'run-1',
					pinned: [],
					repeatInstructions: true,
					maxLoaded: 10,
					message: '/a please',
					prefix: '',
					now: Date.now,
				};
				await deliverLoaded(conversation);
				await deliverLoaded({ ...conversation, execution: 'run-2', message: 'go on' });
				expect(await loadsOf('a', 1)).toEqual([['ann', 1]]);
			});

			it('never fails nor delays a load', async () => {
				await createAll(ann, 'a');
				let asked = 0;
				const stuck = new Proxy(ann, {
					get: (target, name: keyof Library) =>
						name === 'recordUse'
							? async () => {
									asked++;
									return await Promise.reject(new LibraryError('database-unavailable', 'down'));
								}
							: target[name],
				});
				const database = { ...test.database, id: `${test.database.id} stuck`, as: () => stuck };
				expect(await load(toolContext(setFor({ database })), 'a')).toContain('# a');
				expect(asked).toBe(0);
				await new Promise((resolve) => setTimeout(resolve, 20));
				expect(asked).toBe(1);
			});
		});

		it('a database that is down is told with what to do; the last list is marked as old', async () => {
			await createAll(ann, 'a');
			const down = new LibraryError('database-unavailable', 'It is down.', 'Start it.');
			let isDown = true;
			const library = new Proxy(ann, {
				get: (target, name: keyof Library) =>
					isDown ? async () => await Promise.reject(down) : target[name],
			});
			const database = { ...test.database, id: `${test.database.id} down`, as: () => library };
			const look = async () => await setFor({ database }).refresh();
			expect(await look()).toMatchObject({
				skills: [],
				sources: [{ status: 'failed' }],
				diagnostics: [
					{ code: 'source-unreadable', message: expect.stringMatching(/down.*Start it/) },
				],
			});
			isDown = false;
			expect(await look()).toMatchObject({ skills: [{ name: 'a' }], sources: [{ status: 'ok' }] });
			isDown = true;
			expect(await look()).toMatchObject({
				skills: [{ name: 'a' }],
				sources: [{ status: 'stale' }],
				diagnostics: [{ code: 'source-stale' }],
			});
			expect(await load(toolContext(setFor({ database })), 'a')).toContain('It is down');
		});

		// To make so many takes long; that all are listed is the same on both.
		if (kind === 'SQLite') {
			it('offers 2,500 skills and more: no limit of folders or indexes holds here', async () => {
				const amount = 2500;
				for (let index = 0; index < amount; index++) await ann.create(newSkill(`s${index}`));
				const { skills, diagnostics } = await setFor().refresh();
				expect(skills).toHaveLength(amount);
				expect(diagnostics).toEqual([]);
			}, 600_000);
		}
	});
});
