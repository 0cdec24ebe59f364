import { discoverResources, summarizeResources } from '../../nodes/core/resources';
import type { SkillBackend } from '../../nodes/core/types';
import {
	diskBackend,
	memoryBackend,
	removeTempTrees,
	skillText,
	tempTree,
	type Tree,
} from './support';

afterAll(removeTempTrees);

const PATH = '/skills/test-skill/SKILL.md';

/** The files of a skill on a real disk. */
async function resourcesOf(files: Tree) {
	const tree = Object.fromEntries(
		Object.entries({ 'SKILL.md': skillText('test-skill'), ...files }).map(([path, content]) => [
			`skills/test-skill/${path}`,
			content,
		]),
	);
	return await discoverResources(diskBackend(await tempTree(tree)), PATH);
}

describe('discoverResources', () => {
	it('test_discover_resources_standard_dirs: the type follows the folder', async () => {
		expect(
			await resourcesOf({
				'scripts/helper.py': 'def helper(): pass',
				'references/api.md': '# API Reference',
				'assets/template.txt': 'Template content',
			}),
		).toEqual([
			{ type: 'script', path: 'scripts/helper.py' },
			{ type: 'reference', path: 'references/api.md' },
			{ type: 'asset', path: 'assets/template.txt' },
		]);
	});

	it('test_discover_resources_empty_skill: a skill without files has none', async () => {
		expect(await resourcesOf({})).toEqual([]);
	});

	it('test_discover_resources_backend_error: a backend that fails means no files, not an error', async () => {
		const failing: SkillBackend = {
			...memoryBackend({}),
			list: async () => {
				throw new Error('Backend error');
			},
		};
		expect(await discoverResources(failing, PATH)).toEqual([]);
	});

	it('test_discover_resources_non_standard_dirs_ignored: only the three folders count', async () => {
		expect(await resourcesOf({ 'temp/temp.txt': 'x', 'constructor/x': 'x' })).toEqual([]);
	});

	it('test_discover_resources_root_level_files: files beside SKILL.md are "other"', async () => {
		expect(await resourcesOf({ 'readme.txt': 'Readme content' })).toEqual([
			{ type: 'other', path: 'readme.txt' },
		]);
	});

	it('looks at the first level only and skips hidden files', async () => {
		expect(
			await resourcesOf({
				'scripts/a.py': 'x',
				'scripts/deep/b.py': 'x',
				'scripts/.hidden': 'x',
				'.env': 'SECRET',
			}),
		).toEqual([{ type: 'script', path: 'scripts/a.py' }]);
	});

	it('lists no link that leaves the source', async () => {
		const root = await tempTree({
			'secret.md': 'SECRET',
			'skills/test-skill/SKILL.md': skillText('test-skill'),
			'skills/test-skill/notes.md': '-> ../../secret.md',
			'skills/test-skill/scripts': '-> /etc',
		});
		expect(await discoverResources(diskBackend(root, ['/skills']), PATH)).toEqual([]);
	});

	it('one folder that fails costs only itself', async () => {
		const real = memoryBackend({
			'skills/test-skill/scripts/a.py': 'x',
			'skills/test-skill/assets/b.png': 'x',
		});
		const flaky: SkillBackend = {
			...real,
			list: async (dir) => {
				if (dir.endsWith('scripts')) throw new Error('down');
				return await real.list(dir);
			},
		};
		expect(await discoverResources(flaky, PATH)).toEqual([{ type: 'asset', path: 'assets/b.png' }]);
	});

	it('of a skill at the root of its backend', async () => {
		const backend = memoryBackend({ 'SKILL.md': 'x', 'notes.md': 'x', 'scripts/a.py': 'x' });
		expect(await discoverResources(backend, '/SKILL.md')).toEqual([
			{ type: 'script', path: 'scripts/a.py' },
			{ type: 'other', path: 'notes.md' },
		]);
	});

	it('is ordered by type, then by path', async () => {
		const files = await resourcesOf({ 'z.md': '', 'a.md': '', 'assets/b': '', 'scripts/c': '' });
		expect(files.map((file) => file.path)).toEqual(['scripts/c', 'assets/b', 'a.md', 'z.md']);
	});
});

describe('summarizeResources', () => {
	it('counts by type', () => {
		expect(
			summarizeResources([
				{ type: 'script', path: 'scripts/a.py' },
				{ type: 'reference', path: 'references/a.md' },
				{ type: 'script', path: 'scripts/b.py' },
				{ type: 'other', path: 'x' },
				{ type: 'other', path: 'y' },
			]),
		).toBe('2 scripts, 1 reference, 2 other files');
	});

	it('is empty without files', () => expect(summarizeResources([])).toBe(''));
});
