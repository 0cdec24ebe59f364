import { randomBytes } from 'node:crypto';

import {
	MAX_LIBRARY_FILES,
	MAX_LIBRARY_SKILL_BYTES,
	MAX_RESOURCE_FILE_BYTES,
} from '../../nodes/core/limits';
import type { Library, SkillRef } from '../../nodes/core/library/types';
import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';
import { bytes, newSkill, text } from './support/skills';

describe.each(DATABASES)('files in %s', (_, newPlace) => {
	let test: LibraryUnderTest;
	let ann: Library;
	let ref: SkillRef;
	let number = 0;

	beforeAll(async () => {
		test = await openNew(newPlace);
		ann = test.as('ann');
	});
	afterAll(async () => await test.close());
	beforeEach(async () => {
		const { id } = await ann.create(newSkill(`skill-${number++}`));
		ref = { id };
	});

	it('are added, read, listed and removed', async () => {
		const added = await ann.putFile(ref, 'docs/b.md', bytes('b'));
		await ann.putFile(ref, 'a.bin', Uint8Array.from([1, 0, 2]));
		expect(await ann.files(ref)).toMatchObject([
			{ path: 'a.bin', size: 3, isBinary: true },
			{ path: 'docs/b.md', size: 1, isBinary: false },
		]);
		const read = await ann.file(ref, './docs//b.md');
		expect({ ...read, content: text(read.content) }).toEqual({ ...added, content: 'b' });
		expect(await ann.removeFile({ skill: ref, path: 'docs/b.md' })).toEqual(added);
		await expect(ann.file(ref, 'docs/b.md')).rejects.toMatchObject({ code: 'not-found' });
		expect((await ann.files(ref)).map(({ path }) => path)).toEqual(['a.bin']);
		expect((await ann.find(ref)).version).toBe(4);
	});

	it('keep their id when their content is replaced, and are found by it', async () => {
		const first = await ann.putFile(ref, 'a.md', bytes('one'));
		const second = await ann.putFile(ref, 'a.md', bytes('two'));
		expect(second.id).toBe(first.id);
		expect(second.hash).not.toBe(first.hash);
		expect(await ann.removeFile({ id: first.id })).toEqual(second);
		await expect(ann.removeFile({ id: first.id })).rejects.toMatchObject({ code: 'not-found' });
	});

	it('are not changed by a change to the same', async () => {
		const first = await ann.putFile(ref, 'a.md', bytes('one'));
		const { version } = await ann.find(ref);
		expect(await ann.putFile(ref, 'a.md', bytes('one'))).toEqual(first);
		expect((await ann.find(ref)).version).toBe(version);
	});

	it('are replaced as a whole by an update that brings files', async () => {
		await ann.putFile(ref, 'old.md', bytes('old'));
		const kept = await ann.putFile(ref, 'kept.md', bytes('kept'));
		const files = ['kept', 'new'].map((name) => ({ path: `${name}.md`, content: bytes(name) }));
		await ann.update(ref, { files });
		const now = await ann.get(ref);
		expect(now.files.map((file) => [file.path, text(file.content)])).toEqual([
			['kept.md', 'kept'],
			['new.md', 'new'],
		]);
		expect(now.files[0].id).toBe(kept.id);
		expect(now.content).toContain('Do it.');
	});

	it('hold every byte', async () => {
		const content = Uint8Array.from({ length: 256 }, (__, at) => at);
		await ann.putFile(ref, 'all.bin', content);
		expect([...(await ann.file(ref, 'all.bin')).content]).toEqual([...content]);
		await ann.putFile(ref, 'empty', new Uint8Array());
		expect((await ann.file(ref, 'empty')).content).toHaveLength(0);
		expect((await ann.get(ref)).files.map(({ size }) => size)).toEqual([256, 0]);
	});

	it('may have 10 MiB', async () => {
		const content = randomBytes(MAX_RESOURCE_FILE_BYTES);
		await ann.putFile(ref, 'big.bin', content);
		expect(content.equals((await ann.get(ref)).files[0].content)).toBe(true);
		const more = Buffer.concat([content, bytes('x')]);
		await expect(ann.putFile(ref, 'bigger', more)).rejects.toMatchObject({ code: 'too-large' });
	});

	it('may be 1,000 in one skill', async () => {
		const files = Array.from({ length: 1000 }, (__, at) => ({
			path: `folder-${at % 10}/file-${at}.md`,
			content: bytes(`content ${at}`),
		}));
		await ann.update(ref, { files });
		const whole = await ann.get(ref);
		const got = new Map(whole.files.map(({ path, content }) => [path, text(content)]));
		expect(got.size).toBe(1000);
		expect(files.filter(({ path, content }) => got.get(path) !== text(content))).toEqual([]);
		await ann.putFile(ref, 'one-more.md', bytes('more'));
		expect(await ann.files(ref)).toHaveLength(1001);
	});

	it('are refused when they are too many or too much', async () => {
		const some = (count: number) =>
			Array.from({ length: count }, (__, at) => ({ path: `f${at}`, content: bytes('x') }));
		const many = ann.update(ref, { files: some(MAX_LIBRARY_FILES + 1) });
		await expect(many).rejects.toMatchObject({ code: 'invalid' });
		const content = new Uint8Array(MAX_RESOURCE_FILE_BYTES);
		const count = Math.floor(MAX_LIBRARY_SKILL_BYTES / MAX_RESOURCE_FILE_BYTES) + 1;
		const much = ann.update(ref, { files: some(count).map((file) => ({ ...file, content })) });
		await expect(much).rejects.toMatchObject({ code: 'too-large' });
	});

	it.each([
		'',
		'..',
		'../up.md',
		'a/../../up.md',
		'/etc/passwd',
		'C:/windows',
		'a\\b',
		'a\0b',
		'a\nb',
		'SKILL.md',
		'skill.MD',
		'./SKILL.md',
		'x'.repeat(2000),
	])('are refused at the path %j', async (path) => {
		const refused = { code: 'invalid' };
		await expect(ann.putFile(ref, path, bytes('x'))).rejects.toMatchObject(refused);
		const files = [{ path, content: bytes('x') }];
		await expect(ann.update(ref, { files })).rejects.toMatchObject(refused);
		await expect(ann.file(ref, path)).rejects.toMatchObject(refused);
		await expect(ann.removeFile({ skill: ref, path })).rejects.toMatchObject(refused);
		expect(await ann.files(ref)).toEqual([]);
	});

	it.each([
		['README.md', 'readme.MD'],
		['u\u0308.md', '\u00fc.md'],
		['docs', 'docs/a.md'],
		['Docs/a/b.md', 'docs/A'],
	])('are refused where a folder cannot hold both: %j and %j', async (one, other) => {
		const files = [one, other].map((path) => ({ path, content: bytes(path) }));
		const refused = { code: 'invalid' };
		await expect(ann.update(ref, { files })).rejects.toMatchObject(refused);
		await ann.putFile(ref, one, bytes('x'));
		await expect(ann.putFile(ref, other, bytes('x'))).rejects.toMatchObject(refused);
		expect(await ann.files(ref)).toMatchObject([{ path: one }]);
	});

	it('are refused without content', async () => {
		const nothing = 'text' as unknown as Uint8Array;
		await expect(ann.putFile(ref, 'a.md', nothing)).rejects.toMatchObject({ code: 'invalid' });
	});

	it('are stored once, however many skills and versions hold them', async () => {
		const content = bytes('the same for all');
		const count = async () =>
			Number((await test.run(`SELECT count(*) AS n FROM ${test.sql.dialect.prefix}blobs`))[0].n);
		await ann.putFile(ref, 'a.md', content);
		const before = await count();
		await ann.putFile(ref, 'b.md', content);
		const { id } = await ann.create(newSkill('other', { content: 'the same for all' }));
		expect(await count()).toBe(before);
		await ann.remove(ref);
		expect((await ann.get({ id })).content).toBe('the same for all');
		await ann.remove({ id });
		expect(await count()).toBe(before - 2);
	});
});
