import fc from 'fast-check';

import { createLibraryBackend } from '../../nodes/core/backends';
import { skillFileOf, skillOfFile } from '../../nodes/core/library/document';
import {
	MAX_DESCRIPTION_LENGTH,
	MAX_FRONTMATTER_BYTES,
	MAX_NAME_LENGTH,
	MAX_SKILL_FILE_BYTES,
	MAX_TAG_LENGTH,
	MAX_TAGS,
	MAX_USER_LENGTH,
} from '../../nodes/core/limits';
import type { Library, LibraryError, NewSkill } from '../../nodes/core/library/types';
import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';
import { bytes, newSkill } from './support/skills';

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
			const { id } = await ann.create(newSkill('kept', { tags: ['x'], extras: { a: 'b' }, files }));
			await ann.update({ id }, { description: 'New' });
			expect(await ann.get({ id })).toMatchObject({
				description: 'New',
				content: '# kept\n\nDo it.\n',
				tags: ['x'],
				extras: { a: 'b' },
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

	describe('a name', () => {
		it.each(['PDF-Skill', 'pdf_skill', 'ｐｄｆ-skill', ' pdf skill '])(
			'is found as %j, whatever its case and form',
			async (spelling) => {
				const owner = test.as(`finder of ${spelling}`);
				const made = await owner.create(newSkill('pdf-skill'));
				expect(await owner.find({ name: spelling })).toEqual(made);
			},
		);

		it('is the same however its letters are composed', async () => {
			const made = await ann.create(newSkill('u\u0308bung'));
			expect(made.name).toBe('\u00fcbung');
			expect((await ann.find({ name: '\u00dcBUNG' })).id).toBe(made.id);
			await expect(ann.create(newSkill('\u00fcbung'))).rejects.toMatchObject({
				code: 'name-taken',
			});
		});

		it('is found with either small form of a capital sigma, in lists too', async () => {
			const greek = test.as('greek');
			const [one, two] = [
				await greek.create(newSkill('\u03b1\u03c3')),
				await greek.create(newSkill('\u03b1-\u03b1\u03c2')),
			];
			expect((await greek.find({ name: '\u0391\u03a3' })).id).toBe(one.id);
			expect((await greek.find({ name: '\u0391-\u0391\u03a3' })).id).toBe(two.id);
			const { skills } = await greek.list({ names: ['\u0391\u03a3', '\u0391-\u0391\u03a3'] });
			expect(skills.map(({ id }) => id).sort()).toEqual([one.id, two.id].sort());
			await expect(greek.create(newSkill('\u03b1\u03c2'))).rejects.toMatchObject({
				code: 'name-taken',
			});
		});

		it('is free again for another owner, and taken once for the system', async () => {
			const admin = test.as('root', true);
			await ann.create(newSkill('shared-name'));
			await test.as('bob').create(newSkill('shared-name'));
			await admin.create(newSkill('shared-name', { ownerId: null }));
			const second = admin.create(newSkill('shared-name', { ownerId: null }));
			await expect(second).rejects.toMatchObject({ code: 'name-taken' });
			await expect(ann.create(newSkill('shared-name'))).rejects.toMatchObject({
				code: 'name-taken',
				message: 'There is already a skill "shared-name" of the same owner.',
			});
		});

		it('cannot be taken by renaming either', async () => {
			await ann.create(newSkill('first-one'));
			const { id } = await ann.create(newSkill('second-one'));
			const renamed = ann.update({ id }, { name: 'first-one' });
			await expect(renamed).rejects.toMatchObject({ code: 'name-taken' });
			expect((await ann.update({ id }, { name: 'third-one' })).name).toBe('third-one');
			await expect(ann.find({ name: 'second-one' })).rejects.toMatchObject({ code: 'not-found' });
		});

		it("means one's own skill first, then the system's, then a public one", async () => {
			const admin = test.as('root', true);
			const [eve, zoe] = [test.as('eve'), test.as('zoe')];
			const publicOne = await zoe.create(newSkill('nearest', { isPublic: true }));
			const later = await test.as('zzz').create(newSkill('nearest', { isPublic: true }));
			expect((await eve.find({ name: 'nearest' })).id).toBe(publicOne.id);
			const system = await admin.create(newSkill('nearest', { ownerId: null }));
			expect((await eve.find({ name: 'nearest' })).id).toBe(system.id);
			const own = await eve.create(newSkill('nearest'));
			expect((await eve.find({ name: 'nearest' })).id).toBe(own.id);
			expect((await eve.get({ name: 'nearest', ownerId: 'zzz' })).id).toBe(later.id);
			expect((await eve.find({ name: 'nearest', ownerId: null })).id).toBe(system.id);
		});
	});

	describe('what cannot be kept', () => {
		const wrong: Array<[string, Record<string, unknown>, string]> = [
			['no name', { name: '' }, 'needs a name'],
			['a name that is no text', { name: 5 }, 'name is not a text'],
			['a name with capitals', { name: 'Web-Research' }, 'capital letters'],
			['a name that is a path', { name: '../up' }, 'only lowercase letters'],
			['a long name', { name: 'a'.repeat(MAX_NAME_LENGTH + 1) }, 'longer than 64'],
			['a name with NUL', { name: 'a\0b' }, 'NUL'],
			['no description', { description: ' ' }, 'needs a description'],
			['a long description', { description: 'x'.repeat(MAX_DESCRIPTION_LENGTH + 1) }, '1,025'],
			['a description with NUL', { description: 'a\0b' }, 'NUL'],
			['a text with NUL', { content: 'a\0b' }, 'NUL'],
			['a text that is none', { content: null }, 'text is not a text'],
			['tags that are no list', { tags: 'a' }, 'not a list'],
			['a tag with NUL', { tags: ['a\0'] }, 'NUL'],
			['a long tag', { tags: ['x'.repeat(MAX_TAG_LENGTH + 1)] }, 'longer than 64'],
			['many tags', { tags: [...Array(MAX_TAGS + 1).keys()].map(String) }, 'more than 50'],
			['fields that are no object', { extras: ['a'] }, 'not an object'],
			['fields with NUL', { extras: { a: ['x\0'] } }, 'NUL'],
			['a field named with NUL', { extras: { 'a\0': 1 } }, 'NUL'],
			['fields that JSON cannot hold', { extras: { a: 1n } }, 'what JSON cannot'],
			['a field that is the name', { extras: { name: 'evil' } }, 'hold "name"'],
			['a field that is the description', { extras: { description: 'x' } }, 'hold "description"'],
			['a field that would be tags', { extras: { tags: 'a,b' } }, 'field "tags"'],
			['deep fields', { extras: { a: nested(20) } }, 'nested deeper'],
			['a description that shows nothing', { description: '\u200b' }, 'no description'],
			['an owner that is half a character', { ownerId: 'a\ud800' }, 'owner is not a user'],
			['an owner with NUL', { ownerId: 'a\0' }, 'owner is not a user'],
			['an empty owner', { ownerId: '' }, 'owner is not a user'],
			['a long owner', { ownerId: 'x'.repeat(MAX_USER_LENGTH + 1) }, 'owner is not a user'],
		];

		it.each(wrong)('is refused: %s', async (_case, part, message) => {
			const stamp = await ann.stamp();
			const skill = { ...newSkill('never-made'), ...part } as NewSkill;
			await expect(ann.create(skill)).rejects.toMatchObject({
				code: 'invalid',
				message: expect.stringContaining(message) as string,
			});
			expect(await ann.stamp()).toBe(stamp);
		});

		it.each(wrong)('is refused in an update too: %s', async (_case, part) => {
			const owner = test.as(`updates ${_case}`);
			const made = await owner.create(newSkill('stays'));
			const changed = owner.update({ id: made.id }, part as Partial<NewSkill>);
			await expect(changed).rejects.toMatchObject({ code: 'invalid' });
			expect(await owner.find({ id: made.id })).toEqual(made);
		});

		it('is refused when it is too large', async () => {
			const content = 'x'.repeat(MAX_SKILL_FILE_BYTES + 1);
			const tooLarge = { code: 'too-large' };
			await expect(ann.create(newSkill('large', { content }))).rejects.toMatchObject(tooLarge);
			const extras = { long: 'x'.repeat(MAX_FRONTMATTER_BYTES) };
			await expect(ann.create(newSkill('large', { extras }))).rejects.toMatchObject(tooLarge);
			const nearly = { long: 'x'.repeat(MAX_FRONTMATTER_BYTES - 40) };
			const refused = ann.create(newSkill('large', { extras: nearly }));
			await expect(refused).rejects.toMatchObject(tooLarge);
			const { id } = await ann.create(newSkill('small'));
			await expect(ann.update({ id }, { extras: nearly })).rejects.toMatchObject(tooLarge);
			const filled = 'x'.repeat(MAX_SKILL_FILE_BYTES);
			await expect(ann.update({ id }, { content: filled })).rejects.toMatchObject(tooLarge);
		});
	});

	describe('what must be kept', () => {
		it('is a text that makes a SKILL.md of 10 MiB, and not one of a byte more', async () => {
			const skill = newSkill('ten-mebibytes', { content: '' });
			const header = skillFileOf({ ...skill, tags: [], extras: {} }).length;
			const content = 'wörter '.repeat(MAX_SKILL_FILE_BYTES / 8).slice(0, -header);
			const exact =
				content + 'x'.repeat(MAX_SKILL_FILE_BYTES - header - Buffer.byteLength(content));
			await expect(ann.create({ ...skill, content: `${exact}x` })).rejects.toMatchObject({
				code: 'too-large',
			});
			const { id } = await ann.create({ ...skill, content: exact });
			const backend = createLibraryBackend({ database: test.database, user: 'ann' });
			const [read] = await backend.read(['/ten-mebibytes/SKILL.md'], MAX_SKILL_FILE_BYTES);
			expect('error' in read ? read.message : read.content.byteLength).toBe(MAX_SKILL_FILE_BYTES);
			expect((await ann.get({ id })).content === exact).toBe(true);
			const changed = ann.update({ id }, { description: `${skill.description}!` });
			await expect(changed).rejects.toMatchObject({ code: 'too-large' });
		});

		it('is what looks like SQL, markup or an expression', async () => {
			const hostile = `'; DROP TABLE skills; -- " \\ $1 ?1 :a {{ $json }} <b> \u202e %s %_`;
			const owner = test.as(hostile);
			const made = await owner.create(
				newSkill('hostile', {
					description: hostile,
					content: hostile,
					tags: [hostile],
					extras: { [hostile]: hostile },
				}),
			);
			expect(await owner.get({ id: made.id })).toMatchObject({
				description: hostile,
				content: hostile,
				tags: [hostile],
				extras: { [hostile]: hostile },
				ownerId: hostile,
			});
			expect((await owner.list({ tags: [hostile], ownerId: hostile })).skills).toEqual([made]);
			await expect(owner.find({ id: hostile })).rejects.toMatchObject({ code: 'not-found' });
			await expect(owner.find({ name: hostile })).rejects.toMatchObject({ code: 'not-found' });
		});

		it('is a key that means something to JavaScript', async () => {
			const extras = JSON.parse('{"__proto__": {"isPublic": true}, "constructor": 1}') as object;
			const { id } = await ann.create(newSkill('proto', { extras: { ...extras } }));
			const json = JSON.stringify((await ann.find({ id })).extras);
			expect(json).toBe('{"__proto__":{"isPublic":"true"},"constructor":"1"}');
			expect(({} as { isPublic?: boolean }).isPublic).toBeUndefined();
		});

		it('is half a character, as the sign for what cannot be read', async () => {
			const { id } = await ann.create(
				newSkill('half', { content: 'a\ud83d', extras: { a: '\udc00' } }),
			);
			expect(await ann.get({ id })).toMatchObject({ content: 'a\ufffd', extras: { a: '\ufffd' } });
		});

		it('is every scalar as the text that stands in a SKILL.md', async () => {
			const extras = { a: 1, b: true, c: null, d: [1.5, { e: false }] };
			const made = await ann.create(newSkill('scalars', { extras }));
			expect(made.extras).toEqual({ a: '1', b: 'true', c: '', d: ['1.5', { e: 'false' }] });
			const read = skillOfFile(Buffer.from(skillFileOf(await ann.get(made))), '/scalars/SKILL.md');
			expect(await ann.update({ id: made.id }, read)).toEqual(made);
		});

		it('is what an earlier package kept, as long as nobody changes it', async () => {
			const { id } = await ann.create(newSkill('early'));
			const t = test.sql.dialect.prefix;
			await test.run(`UPDATE ${t}skills SET extras = '{"a":1}' WHERE id = $1`, [id]);
			expect((await ann.update({ id }, { isPublic: true })).extras).toEqual({ a: 1 });
			expect((await ann.update({ id }, { description: 'New' })).extras).toEqual({ a: '1' });
		});
	});

	it('property: whatever is taken is a SKILL.md that is read, and imported, as the same', async () => {
		const owner = test.as('property');
		let taken = 0;
		const scalar = fc.oneof(
			fc.string({ unit: 'binary', maxLength: 20 }),
			fc.constantFrom(
				'- '.repeat(70),
				'['.repeat(70),
				'a: '.repeat(70),
				'true',
				'~',
				'#',
				'\u200b',
			),
			fc.integer(),
			fc.double({ noNaN: true }),
			fc.boolean(),
			fc.constant(null),
		);
		const value = fc.letrec<{ value: unknown }>((tie) => ({
			value: fc.oneof(
				{ depthSize: 'small' },
				scalar,
				fc.array(tie('value'), { maxLength: 80 }),
				fc.dictionary(fc.string({ unit: 'binary', maxLength: 8 }), tie('value'), { maxKeys: 80 }),
				fc.integer({ min: 1, max: 20 }).map(nested),
			),
		})).value;
		const key = fc.oneof(
			fc.constantFrom('license', 'metadata', 'allowed-tools', 'tags', 'name', 'null', '- x'),
			fc.string({ unit: 'binary', maxLength: 600 }),
		);
		await fc.assert(
			fc.asyncProperty(
				fc.record({
					name: fc.constantFrom('null', 'true', 'a-1', 'übung', '1'),
					description: fc.oneof(
						fc.string({ unit: 'binary', maxLength: 50 }),
						fc.constantFrom('a - '.repeat(70), 'x: '.repeat(70), 'null', '"', '|'),
					),
					content: fc.string({ unit: 'binary', maxLength: 50 }),
					tags: fc.array(fc.string({ unit: 'binary', maxLength: 10 }), { maxLength: 4 }),
					extras: fc.dictionary(key, value, { maxKeys: 4 }),
				}),
				async (given) => {
					const made = await owner.create(given).catch((error: LibraryError) => error);
					if (made instanceof Error) {
						expect(['invalid', 'too-large']).toContain(made.code);
						return;
					}
					taken++;
					const file = skillFileOf(await owner.text({ id: made.id }));
					const read = skillOfFile(Buffer.from(file), `/${made.name}/SKILL.md`);
					expect(await owner.update({ id: made.id }, read)).toEqual(made);
					await owner.remove({ id: made.id });
				},
			),
			{ numRuns: 200 },
		);
		expect(taken).toBeGreaterThan(20);
	});
});

/** A list in a list, so many levels deep. */
function nested(levels: number): unknown {
	return JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
}

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
