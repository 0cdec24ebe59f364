import { discoverSkills } from '../../nodes/core/discover';
import { diagnostic, SkillError } from '../../nodes/core/errors';
import { MAX_FOLDERS_PER_SOURCE } from '../../nodes/core/limits';
import type { BackendEntry, SkillBackend } from '../../nodes/core/types';
import {
	counting,
	diskBackend,
	memoryBackend,
	removeTempTrees,
	skillText,
	tempTree,
	type Tree,
} from './support';

afterAll(removeTempTrees);

async function found(tree: Tree, source = '/') {
	const { files, ...rest } = await discoverSkills(memoryBackend(tree), source);
	return { paths: files.map((file) => file.path), ...rest };
}

const pathsOf = async (tree: Tree, source?: string) => (await found(tree, source)).paths;

describe('a source may be', () => {
	it('a skill folder itself', async () => {
		expect(await pathsOf({ 'pdf/SKILL.md': 'x', 'pdf/scripts/run.py': 'x' }, '/pdf')).toEqual([
			'/pdf/SKILL.md',
		]);
	});

	it('a folder of skills, in the order of their paths', async () => {
		expect(await pathsOf({ 'b/SKILL.md': 'x', 'a/SKILL.md': 'x', 'c/notes.md': 'x' })).toEqual([
			'/a/SKILL.md',
			'/b/SKILL.md',
		]);
	});

	it('a folder with groups of skills, and skills beside them', async () => {
		expect(
			await pathsOf({
				'office/pdf/SKILL.md': 'x',
				'office/xlsx/SKILL.md': 'x',
				'git/SKILL.md': 'x',
			}),
		).toEqual(['/git/SKILL.md', '/office/pdf/SKILL.md', '/office/xlsx/SKILL.md']);
	});

	it('a repository with skills/: its other folders are not for us', async () => {
		expect(
			await pathsOf({
				'README.md': 'x',
				'skills/pdf/SKILL.md': 'x',
				'skills/office/xlsx/SKILL.md': 'x',
				'src/fixtures/SKILL.md': 'x',
			}),
		).toEqual(['/skills/office/xlsx/SKILL.md', '/skills/pdf/SKILL.md']);
	});

	it('a repository with skills/ and a skill beside it: then all are taken', async () => {
		expect(await pathsOf({ 'skills/pdf/SKILL.md': 'x', 'template/SKILL.md': 'x' })).toEqual([
			'/skills/pdf/SKILL.md',
			'/template/SKILL.md',
		]);
	});
});

describe('what is not looked at', () => {
	it('folders below a skill', async () => {
		expect(await pathsOf({ 'pdf/SKILL.md': 'x', 'pdf/examples/other/SKILL.md': 'x' })).toEqual([
			'/pdf/SKILL.md',
		]);
	});

	it('dot-folders and node_modules', async () => {
		expect(
			await pathsOf({
				'.git/a/SKILL.md': 'x',
				'.hidden/SKILL.md': 'x',
				'node_modules/b/SKILL.md': 'x',
				'good/SKILL.md': 'x',
			}),
		).toEqual(['/good/SKILL.md']);
	});

	it('but the source itself may be a dot-folder', async () => {
		expect(await pathsOf({ '.claude/skills/pdf/SKILL.md': 'x' }, '/.claude/skills')).toEqual([
			'/.claude/skills/pdf/SKILL.md',
		]);
	});

	it('folders more than four levels down', async () => {
		expect(await pathsOf({ 'a/b/c/d/SKILL.md': 'x', 'a/b/c/d2/e/SKILL.md': 'x' })).toEqual([
			'/a/b/c/d/SKILL.md',
		]);
	});

	it('more than 2,000 folders, which is reported', async () => {
		const tree = Object.fromEntries(
			Array.from({ length: MAX_FOLDERS_PER_SOURCE + 50 }, (_, index) => [
				`s${String(index).padStart(5, '0')}/SKILL.md`,
				'x',
			]),
		);
		const { backend, calls } = counting(memoryBackend(tree));
		const { files, diagnostics } = await discoverSkills(backend, '/');
		expect(calls.lists).toBe(MAX_FOLDERS_PER_SOURCE);
		expect(files).toHaveLength(MAX_FOLDERS_PER_SOURCE - 1);
		expect(diagnostics).toMatchObject([{ code: 'source-too-large' }]);
	});

	it('a folder named SKILL.md', async () => {
		expect(await pathsOf({ 'a/SKILL.md/file': 'x', 'b/SKILL.md': 'x' })).toEqual(['/b/SKILL.md']);
	});

	it('links that leave the source, which are reported', async () => {
		const root = await tempTree({
			'outside/SKILL.md': skillText('outside'),
			'skills/good/SKILL.md': skillText('good'),
			'skills/linked': '-> ../outside',
			'skills/trap/SKILL.md': '-> ../../outside/SKILL.md',
		});
		const { files, diagnostics } = await discoverSkills(diskBackend(root, ['/skills']), '/skills');
		expect(files.map((file) => file.path)).toEqual(['/skills/good/SKILL.md']);
		expect(diagnostics.map(({ code, path }) => [code, path])).toEqual([
			['link-outside', '/skills/linked'],
			['link-outside', '/skills/trap/SKILL.md'],
		]);
	});
});

describe('a near miss of the name', () => {
	it.each(['skill.md', 'Skill.md', 'SKILL.MD', 'SKILLS.md', 'skill.mdx'])(
		'%s is reported, not taken',
		async (file) => {
			const { paths, diagnostics } = await found({ [`pdf/${file}`]: 'x', 'ok/SKILL.md': 'x' });
			expect(paths).toEqual(['/ok/SKILL.md']);
			expect(diagnostics).toMatchObject([
				{
					code: 'skill-file-name',
					path: `/pdf/${file}`,
					message: expect.stringContaining('SKILL.md'),
				},
			]);
		},
	);

	it('is no matter beside the right one', async () => {
		const { diagnostics } = await found({ 'pdf/SKILL.md': 'x', 'pdf/skill.md': 'x' });
		expect(diagnostics).toEqual([]);
	});
});

describe('an empty result explains itself', () => {
	it('an absent source', async () => {
		expect(await discoverSkills(memoryBackend({}), '/nope')).toEqual({
			found: false,
			files: [],
			diagnostics: [],
		});
	});

	it('an empty folder', async () => {
		const root = await tempTree();
		const { diagnostics } = await discoverSkills(diskBackend(root), '/');
		expect(diagnostics).toMatchObject([
			{ code: 'source-empty', message: expect.stringContaining('The folder is empty') },
		]);
		expect(diagnostics[0].message).toContain(root);
	});

	it('folders without a SKILL.md, with their number', async () => {
		const { diagnostics } = await found({ 'a/x.md': 'x', 'b/c/y.md': 'x' });
		expect(diagnostics).toMatchObject([{ code: 'source-empty' }]);
		expect(diagnostics[0].message).toContain('Looked at 4 folders');
		expect(diagnostics[0].message).toContain('SKILL.md');
	});

	it('a near miss keeps its own finding', async () => {
		const { diagnostics } = await found({ 'a/skill.md': 'x' });
		expect(diagnostics.map((one) => one.code)).toEqual(['skill-file-name', 'source-empty']);
	});
});

describe('folders that cannot be listed', () => {
	const failingAt = (dir: string): SkillBackend => {
		const real = memoryBackend({ 'a/SKILL.md': 'x', 'b/SKILL.md': 'x' });
		return {
			...real,
			list: async (path) => {
				if (path === dir)
					throw new SkillError('source-unreadable', 'It cannot be listed (EACCES).');
				return await real.list(path);
			},
		};
	};

	it('one inside costs only itself', async () => {
		const { files, diagnostics } = await discoverSkills(failingAt('/a'), '/');
		expect(files.map((file) => file.path)).toEqual(['/b/SKILL.md']);
		expect(diagnostics).toMatchObject([
			{ code: 'skill-unreadable', path: '/a', message: expect.stringContaining('EACCES') },
		]);
	});

	it('the source itself is the error of the source', async () => {
		await expect(discoverSkills(failingAt('/'), '/')).rejects.toBeInstanceOf(SkillError);
	});

	it('one that vanished meanwhile counts as empty', async () => {
		const real = memoryBackend({ 'a/SKILL.md': 'x', 'b/SKILL.md': 'x' });
		const racing = { ...real, list: async (p: string) => (p === '/a' ? null : await real.list(p)) };
		const { files } = await discoverSkills(racing, '/');
		expect(files.map((file) => file.path)).toEqual(['/b/SKILL.md']);
	});
});

describe('an index', () => {
	const indexed = (entries: BackendEntry[], more: Tree = {}): SkillBackend => {
		const real = memoryBackend(more);
		return { ...real, list: async (dir) => (dir === '/' ? entries : await real.list(dir)) };
	};
	const skill = (name: string): BackendEntry => ({
		path: `/${name}`,
		isDirectory: true,
		version: `v-${name}`,
		frontmatter: { name, description: 'x' },
	});
	const problem = diagnostic('index-entry-invalid', 'The entry is wrong.');

	it('makes a folder a skill that is not even listed', async () => {
		const { backend, calls } = counting(indexed([skill('b'), skill('a')]));
		const { files, diagnostics } = await discoverSkills(backend, '/');
		expect(files).toMatchObject([
			{ path: '/a/SKILL.md', isDirectory: false, version: 'v-a', frontmatter: { name: 'a' } },
			{ path: '/b/SKILL.md', version: 'v-b' },
		]);
		expect(diagnostics).toEqual([]);
		expect(calls.lists).toBe(1);
	});

	it('may lie beside folders that it does not tell of', async () => {
		const other = { path: '/c', isDirectory: true };
		const { files } = await discoverSkills(
			indexed([skill('a'), other], { 'c/SKILL.md': 'x' }),
			'/',
		);
		expect(files.map(({ path }) => path)).toEqual(['/a/SKILL.md', '/c/SKILL.md']);
	});

	it('has more skills than folders may be looked at', async () => {
		const many = Array.from({ length: MAX_FOLDERS_PER_SOURCE + 5 }, (_, n) => skill(`s-${n}`));
		const { files, diagnostics } = await discoverSkills(indexed(many), '/');
		expect(files).toHaveLength(MAX_FOLDERS_PER_SOURCE + 5);
		expect(diagnostics).toEqual([]);
	});

	it('has its problems reported; what they stand on is left alone', async () => {
		const wrong = [
			{ path: '/', isDirectory: true, problem },
			{ path: '/a', isDirectory: true, problem, frontmatter: {} },
			{ path: '/SKILL.md', isDirectory: false, problem },
		];
		const { files, diagnostics } = await discoverSkills(indexed([...wrong, skill('b')]), '/');
		expect(files.map(({ path }) => path)).toEqual(['/b/SKILL.md']);
		expect(diagnostics).toEqual([problem, problem, problem]);
	});

	it('that explains itself is not called empty as well', async () => {
		const { diagnostics } = await discoverSkills(
			indexed([{ path: '/', isDirectory: true, problem }]),
			'/',
		);
		expect(diagnostics).toEqual([problem]);
	});
});
