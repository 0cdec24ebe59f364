import type { Library, NewSkill } from '../../nodes/core/library/types';
import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';

const bytes = (text: string) => Buffer.from(text);

/** A skill with everything; tests change what they are about. */
function newSkill(name: string, more: Partial<NewSkill> = {}): NewSkill {
	return { name, description: `What ${name} does`, content: `# ${name}\n\nDo it.\n`, ...more };
}

describe.each(DATABASES)('a library in %s', (_, newPlace) => {
	let test: LibraryUnderTest;
	let ann: Library;

	beforeAll(async () => {
		test = await openNew(newPlace);
	});
	afterAll(async () => await test.close());
	beforeEach(() => {
		ann = test.as('ann');
	});

	describe('a skill', () => {
		it('comes back as it was made', async () => {
			const made = await ann.create(
				newSkill('whole', {
					tags: ['Documents', 'pdf'],
					isPublic: true,
					extras: { license: 'MIT', metadata: { b: '2', a: '1' }, 'allowed-tools': ['x'] },
					files: [
						{ path: 'scripts/run.py', content: bytes('print(1)\n') },
						{ path: './assets//logo.png', content: Uint8Array.from([0, 255, 128, 10]) },
					],
				}),
			);
			const whole = await ann.get({ id: made.id });
			expect(whole).toMatchObject({
				...made,
				name: 'whole',
				description: 'What whole does',
				content: '# whole\n\nDo it.\n',
				tags: ['Documents', 'pdf'],
				isPublic: true,
				ownerId: 'ann',
				version: 1,
			});
			expect(JSON.stringify(whole.extras)).toBe(
				'{"license":"MIT","metadata":{"b":"2","a":"1"},"allowed-tools":["x"]}',
			);
			expect(whole.files.map(({ path, isBinary, size }) => [path, isBinary, size])).toEqual([
				['assets/logo.png', true, 4],
				['scripts/run.py', false, 9],
			]);
			expect([...whole.files[0].content]).toEqual([0, 255, 128, 10]);
			expect(await ann.find({ id: made.id })).toEqual(made);
		});

		it('has an age in ISO 8601 that grows with every change', async () => {
			const made = await ann.create(newSkill('aged'));
			const changed = await ann.update({ id: made.id }, { description: 'Changed' });
			expect(made.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
			expect(changed.createdAt).toBe(made.createdAt);
			expect(changed.updatedAt > made.updatedAt).toBe(true);
			expect(changed.version).toBe(2);
		});

		it('keeps what an update does not name', async () => {
			const files = [{ path: 'a.md', content: bytes('a') }];
			const { id } = await ann.create(newSkill('kept', { tags: ['x'], extras: { a: 1 }, files }));
			await ann.update({ id }, { description: 'New' });
			expect(await ann.get({ id })).toMatchObject({
				description: 'New',
				content: '# kept\n\nDo it.\n',
				tags: ['x'],
				extras: { a: 1 },
				files: [{ path: 'a.md' }],
			});
		});

		it('is not changed by a change to the same', async () => {
			const files = [{ path: 'a.md', content: bytes('a') }];
			const made = await ann.create(newSkill('same', { tags: ['x'], files }));
			const stamp = await ann.stamp();
			const again = await ann.update({ id: made.id }, { ...newSkill('same'), tags: ['x'], files });
			expect(again).toEqual(made);
			expect(await ann.stamp()).toBe(stamp);
		});

		it('has the same content hash as an equal one of somebody else', async () => {
			const one = await ann.create(newSkill('equal', { extras: { a: 1, b: 2 } }));
			const two = await test.as('bob').create(newSkill('equal', { extras: { b: 2, a: 1 } }));
			const other = await test.as('cid').create(newSkill('equal', { extras: { b: 2, a: 2 } }));
			expect(two.contentHash).toBe(one.contentHash);
			expect(other.contentHash).not.toBe(one.contentHash);
		});

		it('is refused an update by one who has not seen the last change', async () => {
			const { id } = await ann.create(newSkill('locked'));
			await ann.update({ id }, { description: 'Second' }, 1);
			await expect(ann.update({ id }, { description: 'Third' }, 1)).rejects.toMatchObject({
				code: 'version-conflict',
			});
			await expect(ann.remove({ id }, 1)).rejects.toMatchObject({ code: 'version-conflict' });
			expect(await ann.find({ id })).toMatchObject({ description: 'Second', version: 2 });
		});

		it('is gone once it is removed, with all that belongs to it', async () => {
			const files = [{ path: 'only.md', content: bytes('only here') }];
			const { id } = await ann.create(newSkill('gone', { tags: ['gone'], files }));
			await ann.update({ id }, { content: 'changed' });
			await ann.recordUse([id]);
			const before = await rowsOf(test, id);
			expect(Object.values(before)).not.toContain(0);
			expect(await ann.remove({ id })).toMatchObject({ id, version: 2 });
			await expect(ann.get({ id })).rejects.toMatchObject({ code: 'not-found' });
			expect(Object.values(await rowsOf(test, id))).toEqual(Object.keys(before).map(() => 0));
			expect((await ann.list({ text: 'gone' })).skills).toEqual([]);
		});
	});
});

async function rowsOf({ run, sql }: LibraryUnderTest, id: string) {
	const t = sql.dialect.prefix;
	const count = async (query: string, value: string) =>
		Number((await run(`SELECT count(*) AS n FROM ${t}${query}`, [value]))[0].n);
	return {
		tags: await count('skill_tags WHERE skill_id = $1', id),
		files: await count('skill_files WHERE skill_id = $1', id),
		versions: await count('skill_versions WHERE skill_id = $1', id),
		usage: await count('skill_usage WHERE skill_id = $1', id),
	};
}
