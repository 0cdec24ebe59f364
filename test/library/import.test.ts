import { createArchiveBackend } from '../../nodes/core/backends';
import { exportSkills, readSkills } from '../../nodes/core/library/export';
import { importSkills, type ImportResult } from '../../nodes/core/library/import';
import { syncSkills } from '../../nodes/core/library/sync';
import type { Library, LibraryDatabase } from '../../nodes/core/library/types';
import {
	MAX_RESOURCE_FILE_BYTES,
	MAX_SKILL_FILE_BYTES,
	MAX_UNPACKED_BYTES,
} from '../../nodes/core/limits';
import { clearRegistryCache } from '../../nodes/core/registry';
import { createSkillSet } from '../../nodes/core/skillset';
import type { SkillSet } from '../../nodes/core/types';
import {
	diskBackend,
	memoryBackend,
	openAccess,
	removeTempTrees,
	setOf,
	skillText,
	skillTree,
	tempTree,
	type Tree,
} from '../core/support';
import { DATABASES, openNew } from './support/databases';
import { ANN, BOB, newFiles, newSkill } from './support/skills';

afterAll(removeTempTrees);

const brief = (results: ImportResult[]) => results.map(({ name, action }) => [name, action]);

describe.each(DATABASES)('import into %s', (_, newPlace) => {
	let database: LibraryDatabase;
	let library: Library;

	beforeEach(async () => {
		clearRegistryCache();
		({ database } = await openNew(newPlace));
		library = database.as(ANN);
	});
	afterEach(async () => await database.close());

	const bring = async (source: SkillSet, more = {}) =>
		await importSkills(library, source, { ownerId: 'ann', ...more });
	const bringTree = async (tree: Tree, more = {}) => await bring(setOf(memoryBackend(tree)), more);

	it('says of each skill whether it was created, updated or is unchanged', async () => {
		const tree = skillTree({ git: 'about git', pdf: 'about pdf' });
		expect(brief(await bringTree(tree))).toEqual([
			['git', 'created'],
			['pdf', 'created'],
		]);
		const changed = {
			...tree,
			'pdf/SKILL.md': skillText('pdf', 'new'),
			'new/SKILL.md': skillText('new'),
		};
		expect(brief(await bringTree(changed))).toEqual([
			['git', 'unchanged'],
			['new', 'created'],
			['pdf', 'updated'],
		]);
		expect(await library.find({ name: 'pdf' })).toMatchObject({ description: 'new', version: 2 });
	});

	it('takes all that a skill holds: fields, text and files of any depth, byte by byte', async () => {
		const binary = Uint8Array.from([0, 255, 128, 10]);
		await bringTree({
			'pdf/SKILL.md': '---\nname: pdf\ndescription: d\ntags: a, b\nlicense: MIT\n---\r\nbody\r\n',
			'pdf/scripts/deep/er/run.py': 'print(1)',
			'pdf/data.bin': binary,
			'pdf/.hidden': 'x',
		});
		const skill = await library.get({ name: 'pdf' });
		expect(skill).toMatchObject({
			content: 'body\r\n',
			tags: ['a', 'b'],
			extras: { license: 'MIT' },
			ownerId: 'ann',
			isPublic: false,
		});
		expect(skill.files.map(({ path, content }) => [path, [...content]])).toEqual(
			expect.arrayContaining([
				['.hidden', [...Buffer.from('x')]],
				['data.bin', [...binary]],
				['scripts/deep/er/run.py', [...Buffer.from('print(1)')]],
			]),
		);
		expect(skill.files).toHaveLength(3);
	});

	it('a file that is gone in the source is gone in the library', async () => {
		const tree = skillTree({ pdf: 'd' });
		await bringTree({ ...tree, 'pdf/a.txt': 'a', 'pdf/b.txt': 'b' });
		expect(brief(await bringTree({ ...tree, 'pdf/b.txt': 'b' }))).toEqual([['pdf', 'updated']]);
		const { files } = await library.get({ name: 'pdf' });
		expect(files.map(({ path }) => path)).toEqual(['b.txt']);
	});

	it('one bad skill stops no other, and each says why', async () => {
		const results = await bringTree({
			'bad/SKILL.md': 'no frontmatter',
			'good/SKILL.md': skillText('good'),
			'Loud/SKILL.md': skillText('LOUD'),
		});
		expect(brief(results)).toEqual([
			['bad', 'refused'],
			['LOUD', 'refused'],
			['good', 'created'],
		]);
		expect(results[0].reason).toMatch(/no frontmatter.*Begin the file/);
		expect(results.map(({ ok }) => ok)).toEqual([false, false, true]);
	});

	it('refuses a skill whose file cannot be read rather than take half of it', async () => {
		const source = setOf(memoryBackend({ ...skillTree({ pdf: 'd', ok: 'd' }), 'pdf/x': 'x' }));
		const broken: SkillSet = {
			...source,
			readFiles: async (skill, paths, maxBytes) =>
				(await source.readFiles(skill, paths, maxBytes)).map((result) =>
					result.path.endsWith('/x')
						? { path: result.path, error: 'unreadable', message: 'disk error' }
						: result,
				),
		};
		expect(await bring(broken)).toMatchObject([
			{ name: 'ok', action: 'created' },
			{ name: 'pdf', action: 'refused', reason: expect.stringMatching(/"x".*disk error/) },
		]);
		await expect(library.find({ name: 'pdf' })).rejects.toMatchObject({ code: 'not-found' });
	});

	it('a source that is not there is told, not an empty success', async () => {
		const backend = memoryBackend(skillTree({ a: 'd' }));
		const source = createSkillSet({ backend, sources: [{ path: '/absent', label: 'X' }] });
		expect(await bring(source)).toMatchObject([
			{ action: 'refused', reason: expect.stringContaining('/absent') },
		]);
	});

	it("leaves other owners' skills of the same name alone", async () => {
		await database.as(BOB).create(newSkill('pdf', { isPublic: true, content: "Bob's" }));
		expect(brief(await bringTree(skillTree({ pdf: 'mine' })))).toEqual([['pdf', 'created']]);
		const bobs = await library.get({ name: 'pdf', ownerId: 'bob' });
		expect(bobs.content).toBe("Bob's");
	});

	it('makes public what shall be, and otherwise leaves the visibility as it is', async () => {
		await bringTree(skillTree({ pdf: 'd' }), { isPublic: true });
		await bringTree(skillTree({ pdf: 'e' }));
		expect(await library.find({ name: 'pdf' })).toMatchObject({ isPublic: true, version: 2 });
	});

	it('tells how far it is', async () => {
		const seen: unknown[] = [];
		const onProgress = (done: number, total: number, { name }: ImportResult) =>
			seen.push([done, total, name]);
		await bringTree({ ...skillTree({ a: 'd', b: 'd' }), 'x/SKILL.md': 'bad' }, { onProgress });
		expect(seen).toEqual([
			[1, 3, 'x'],
			[2, 3, 'a'],
			[3, 3, 'b'],
		]);
	});

	it('takes skills from a folder, without its hidden folders, and says what was left out', async () => {
		const root = await tempTree({
			...skillTree({ pdf: 'd' }),
			'pdf/.git/config': 'x',
			'pdf/node_modules/m/index.js': 'x',
			'pdf/docs/a.md': 'a',
			'pdf/inside': '-> docs/a.md',
			'pdf/outside': '-> /etc/hostname',
		});
		const [result] = await bring(setOf(diskBackend(root)));
		expect(result).toMatchObject({
			action: 'created',
			leftOut: ['.git', 'node_modules', 'outside'],
		});
		const { files } = await library.get({ name: 'pdf' });
		expect(files.map(({ path }) => path).sort()).toEqual(['docs/a.md', 'inside']);
	});

	it('takes skills through a chain of sources, each from where it lies', async () => {
		const base = setOf(memoryBackend({ ...skillTree({ low: 'd' }), 'low/x.txt': 'from base' }));
		const source = setOf(memoryBackend(skillTree({ high: 'd' })), { base });
		expect(brief(await bring(source))).toEqual([
			['high', 'created'],
			['low', 'created'],
		]);
		const { files } = await library.get({ name: 'low' });
		expect(Buffer.from(files[0].content).toString()).toBe('from base');
	});

	it('what was exported is unchanged when it is imported again', async () => {
		await library.create(
			newSkill('pdf', {
				content: '\r\n---\nno end',
				tags: ['a'],
				extras: { license: 'MIT', metadata: { v: '1.0' }, deep: [{ x: ['y'] }] },
				files: newFiles({ 'a/b/c.txt': 'c', 'bin.dat': Uint8Array.from([0, 1]), 'zero.txt': '' }),
			}),
		);
		await library.create(newSkill('big', { content: 'a'.repeat(3_000_000) }));
		const whole = [await library.get({ name: 'pdf' }), await library.get({ name: 'big' })];
		const content = await exportSkills(whole);
		const archive = createArchiveBackend([{ name: 'x.zip', content, folder: '/x.zip' }]);
		const results = await bring(
			createSkillSet({ backend: archive, sources: [{ path: '/x.zip', label: 'X' }] }),
		);
		expect(brief(results)).toEqual([
			['big', 'unchanged'],
			['pdf', 'unchanged'],
		]);
		const single = await exportSkills(whole.slice(0, 1));
		const one = createArchiveBackend([
			{ name: 'pdf.skill', content: single, folder: '/pdf.skill' },
		]);
		const again = await bring(
			createSkillSet({ backend: one, sources: [{ path: '/pdf.skill', label: 'X' }] }),
		);
		expect(brief(again)).toEqual([['pdf', 'unchanged']]);
	});

	it('what has 10 MiB, the most that a file may have, goes out and comes back as it was', async () => {
		const header = Buffer.byteLength('---\nname: big\ndescription: What big does\n---\n');
		const content = 'ä'.repeat((MAX_SKILL_FILE_BYTES - header) / 2 - 1);
		const files = newFiles({ 'data.bin': Buffer.alloc(MAX_RESOURCE_FILE_BYTES, 'abc') });
		await library.create(newSkill('big', { content, files }));
		const packed = await exportSkills(await readSkills(library, [{ name: 'big' }]));
		const archive = createArchiveBackend([{ name: 'x.zip', content: packed, folder: '/x.zip' }]);
		const source = createSkillSet({ backend: archive, sources: [{ path: '/x.zip', label: 'X' }] });
		expect(brief(await bring(source))).toEqual([['big', 'unchanged']]);
		const folder = await tempTree();
		const options = { database: 'one', isAdministrator: false, user: 'ann', access: openAccess };
		await syncSkills(library, { folder, key: 'k', ...options });
		expect(brief(await bring(setOf(diskBackend(folder))))).toEqual([['big', 'unchanged']]);
	});

	it('lets other work have its turn between two skills, also when skills are exported', async () => {
		const names = Array.from({ length: 20 }, (__, index) => `s${index}`);
		const source = setOf(memoryBackend(skillTree(Object.fromEntries(names.map((n) => [n, 'd'])))));
		const turns = async (work: () => Promise<unknown>) => {
			let [count, isOver] = [0, false];
			const next = () => {
				count++;
				if (!isOver) setImmediate(next);
			};
			setImmediate(next);
			await work();
			isOver = true;
			return count;
		};
		expect(await turns(async () => await bring(source))).toBeGreaterThan(names.length - 2);
		const refs = names.map((name) => ({ name }));
		expect(await turns(async () => await readSkills(library, refs))).toBeGreaterThan(
			names.length - 2,
		);
	});

	it('reads no further once the skills are more than an archive holds', async () => {
		await library.create(newSkill('a'));
		const skill = await library.get({ name: 'a' });
		const file = { id: '', size: 0, hash: '', isBinary: true, path: 'f' };
		const half = { ...skill, files: [{ ...file, content: Buffer.alloc(MAX_UNPACKED_BYTES / 2) }] };
		const asked: string[] = [];
		const large = {
			get: async ({ id }: { id: string }) => {
				asked.push(id);
				return half;
			},
		} as unknown as Library;
		const refs = ['1', '2', '3', '4'].map((id) => ({ id }));
		await expect(readSkills(large, refs)).rejects.toMatchObject({ code: 'too-large' });
		expect(asked).toEqual(['1', '2']);
	});

	it('exports the same bytes for the same skills, in any order', async () => {
		await library.create(newSkill('a', { files: newFiles({ y: '1', x: '2' }) }));
		await library.create(newSkill('b'));
		const [a, b] = [await library.get({ name: 'a' }), await library.get({ name: 'b' })];
		const first = await exportSkills([a, b]);
		const reversed = { ...a, files: [...a.files].reverse() };
		expect(Buffer.compare(first, await exportSkills([b, reversed]))).toBe(0);
	});

	it('refuses to export two skills of one name, or more than could be read again', async () => {
		await library.create(newSkill('a'));
		const skill = await library.get({ name: 'a' });
		await expect(exportSkills([skill, skill])).rejects.toThrow(/same name/);
		const file = { id: '', size: 0, hash: '', isBinary: true, content: Buffer.alloc(0) };
		const files = Array.from({ length: 5001 }, (__, index) => ({ ...file, path: `f${index}` }));
		await expect(exportSkills([{ ...skill, files }])).rejects.toMatchObject({ code: 'too-large' });
	});
});
