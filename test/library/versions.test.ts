import { MAX_LIBRARY_VERSIONS } from '../../nodes/core/limits';
import type { Library, LibrarySkill } from '../../nodes/core/library/types';
import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';
import { bytes, newSkill, text } from './support/skills';

describe.each(DATABASES)('versions in %s', (_, newPlace) => {
	let test: LibraryUnderTest;
	let ann: Library;
	let skill: LibrarySkill;
	let number = 0;

	beforeAll(async () => {
		test = await openNew(newPlace);
		ann = test.as('ann');
	});
	afterAll(async () => await test.close());
	beforeEach(async () => {
		const files = ['a', 'b'].map((name) => ({ path: `${name}.md`, content: bytes(`${name} 1`) }));
		const name = `skill-${number++}`;
		skill = await ann.create(newSkill(name, { tags: ['one'], extras: { x: 1 }, files }));
	});

	/** What version a skill had, as far as a person sees it. */
	async function state(version: number) {
		const then = await ann.version({ id: skill.id }, version);
		const { description, content, tags, extras } = then;
		const files = then.files.map((file) => [file.path, text(file.content)]);
		return { version: then.version, description, content, tags, extras, files };
	}

	it('keep every state, the files too', async () => {
		const { id } = skill;
		const first = await state(1);
		await ann.update({ id }, { description: 'Two', content: 'two', tags: ['two'], extras: {} });
		await ann.putFile({ id }, 'a.md', bytes('a 3'));
		await ann.removeFile({ skill: { id }, path: 'b.md' });
		await test.as('root', true).update({ id }, { content: 'five' });
		const second = { description: 'Two', content: 'two', tags: ['two'], extras: {} };
		expect(await state(1)).toEqual(first);
		expect(first.files).toEqual([
			['a.md', 'a 1'],
			['b.md', 'b 1'],
		]);
		expect(await state(2)).toEqual({ version: 2, ...second, files: first.files });
		expect((await state(3)).files).toEqual([
			['a.md', 'a 3'],
			['b.md', 'b 1'],
		]);
		expect((await state(4)).files).toEqual([['a.md', 'a 3']]);
		expect(await state(5)).toMatchObject({ content: 'five', files: [['a.md', 'a 3']] });
		const versions = await ann.versions({ id });
		expect(versions.map(({ version, by }) => [version, by])).toEqual([
			[5, 'root'],
			[4, 'ann'],
			[3, 'ann'],
			[2, 'ann'],
			[1, 'ann'],
		]);
		expect(versions[4]).toMatchObject({ at: skill.createdAt, contentHash: skill.contentHash });
	});

	it('come back by a restore, which is a change like others', async () => {
		const { id } = skill;
		await ann.update({ id }, { description: 'Two', content: 'two', files: [], isPublic: true });
		const restored = await ann.restore({ id }, 1);
		expect(restored).toMatchObject({
			version: 3,
			description: skill.description,
			contentHash: skill.contentHash,
			isPublic: true,
		});
		expect({ ...(await state(3)), version: 1 }).toEqual(await state(1));
		expect((await ann.list({ text: skill.name.replace('-', ' ') })).skills).toMatchObject([{ id }]);
	});

	it('are not found where there are none', async () => {
		const { id } = skill;
		const missing = { code: 'not-found' };
		await expect(ann.version({ id }, 2)).rejects.toMatchObject(missing);
		await expect(ann.restore({ id }, 99)).rejects.toMatchObject(missing);
		await expect(ann.version({ id }, 0)).rejects.toMatchObject({ code: 'invalid' });
		await expect(ann.restore({ id }, 1.5)).rejects.toMatchObject({ code: 'invalid' });
	});

	it('are bounded, and let go of what only they held', async () => {
		const files = [1, 2].map((at) => ({ path: `${at}.md`, content: bytes(`bounded ${at * -1}`) }));
		const { id } = await ann.create(newSkill('bounded', { files }));
		const count = async (table: string) =>
			Number((await test.run(`SELECT count(*) AS n FROM ${test.sql.dialect.prefix}${table}`))[0].n);
		const before = await count('blobs');
		const last = MAX_LIBRARY_VERSIONS + 5;
		for (let version = 2; version <= last; version++) {
			await ann.putFile({ id }, '1.md', bytes(`bounded ${version}`));
		}
		const versions = (await ann.versions({ id })).map(({ version }) => version);
		expect(versions).toHaveLength(MAX_LIBRARY_VERSIONS + 1);
		expect([versions[0], versions.at(-1)]).toEqual([last, last - MAX_LIBRARY_VERSIONS]);
		expect(await count('blobs')).toBe(before + MAX_LIBRARY_VERSIONS);
		const oldest = await ann.version({ id }, last - MAX_LIBRARY_VERSIONS);
		expect(text(oldest.files[0].content)).toBe(`bounded ${last - MAX_LIBRARY_VERSIONS}`);
		expect(text(oldest.files[1].content)).toBe('bounded -2');
		await expect(ann.version({ id }, 1)).rejects.toMatchObject({ code: 'not-found' });
	});
});
