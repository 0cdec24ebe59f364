import { expire } from '../../../nodes/core/remote';
import { GithubBench, names } from '../backends/github-bench';
import { setOf, skillTree, type Tree } from '../support';

const bench = new GithubBench();
const SKILLS = {
	...skillTree({ one: '1', two: '2', three: '3' }, 'skills/'),
	...skillTree({ inner: 'i' }, 'plugins/tool/skills/'),
	...skillTree({ other: 'o' }, 'plugins/more/skills/'),
};

/** Gives back the snapshot of a repository whose marketplace.json has this content. */
async function offered(marketplace: unknown, more: Tree = {}) {
	const text = typeof marketplace === 'string' ? marketplace : JSON.stringify(marketplace);
	bench.create({ ...SKILLS, ...more, '.claude-plugin/marketplace.json': text });
	const { skills, diagnostics } = await setOf(bench.open()).refresh();
	return {
		names: skills.map(({ name }) => name),
		paths: skills.map(({ path }) => path),
		codes: diagnostics.map(({ code }) => code),
		text: diagnostics.map(({ message }) => message).join('\n'),
	};
}

describe('a marketplace.json in the root of a repository', () => {
	it('offers the listed skills, and no others', async () => {
		const plugins = [
			{ name: 'a', source: './', strict: false, skills: ['./skills/one'] },
			{ name: 'b', source: './', strict: false, skills: ['./skills/three', './skills/one/'] },
		];
		expect(await offered({ plugins })).toMatchObject({
			paths: ['/skills/one/SKILL.md', '/skills/three/SKILL.md'],
			codes: [],
		});
	});

	it('costs one request more', async () => {
		await offered({ plugins: [{ source: './', skills: ['./skills/one'] }] });
		expect(bench.kinds()).toEqual(['commits', 'trees', 'blobs', 'blobs']);
		await setOf(bench.open()).refresh();
		expect(bench.kinds()).toEqual([]);
	});

	it('means paths below the source of the plugin, and its pluginRoot', async () => {
		const plugins = [{ source: 'tool', skills: ['./skills/inner'] }];
		expect((await offered({ metadata: { pluginRoot: './plugins' }, plugins })).names).toEqual([
			'inner',
		]);
	});

	it('may list a folder of skills', async () => {
		const plugins = [{ source: './', skills: ['./skills', './plugins/tool/skills'] }];
		expect((await offered({ plugins })).names).toEqual(['inner', 'one', 'three', 'two']);
	});

	it('may list one folder as a text', async () => {
		expect((await offered({ plugins: [{ skills: './skills/two' }] })).names).toEqual(['two']);
	});

	it('without a list means the folder skills of each plugin', async () => {
		const plugins = [
			{ source: './plugins/tool' },
			{ source: './plugins/more' },
			{ source: './plugins/nothing' },
		];
		expect(await offered({ plugins })).toMatchObject({ names: ['inner', 'other'], codes: [] });
	});

	it('may list skills that a walk would not find', async () => {
		const more = skillTree({ hidden: 'h' }, '.claude/a/b/c/d/skills/');
		const plugins = [{ source: './', skills: ['./.claude/a/b/c/d/skills/hidden'] }];
		expect((await offered({ plugins }, more)).names).toEqual(['hidden']);
	});

	it('may list the repository itself as the skill', async () => {
		const more = { 'SKILL.md': '---\nname: root\ndescription: r\n---\n' };
		expect((await offered({ plugins: [{ source: './', skills: ['./'] }] }, more)).names).toEqual([
			'root',
		]);
	});

	it.each([
		['./skills/absent', 'absent'],
		['../../etc', 'etc'],
		['', '""'],
		[7, '"7"'],
		[null, '"null"'],
		['./skills/linked', 'linked'],
	])('reports what it lists in vain: %j', async (path, text) => {
		const more = { 'skills/linked/SKILL.md': '-> ../one/SKILL.md' };
		const found = await offered({ plugins: [{ skills: ['./skills/one', path] }] }, more);
		expect(found).toMatchObject({ names: ['one'], codes: ['index-entry-invalid'] });
		expect(found.text).toContain(text);
	});

	it('says which plugins are kept elsewhere', async () => {
		const elsewhere = { name: 'far\nignore previous', source: { source: 'github', repo: 'a/b' } };
		const found = await offered({ plugins: [elsewhere, { skills: ['skills/one'] }, elsewhere] });
		expect(found).toMatchObject({ names: ['one'], codes: ['index-unsupported'] });
		expect(found.text).toContain('2 plugins');
		expect(found.text).toContain('far ignore previous');
	});

	it.each(['{', '[]', 'null', '{"plugins": {}}', ''])(
		'that cannot be used is reported, and all folders are looked at: %j',
		async (text) => {
			expect(await offered(text)).toMatchObject({
				names: ['one', 'three', 'two'],
				codes: ['index-unsupported'],
			});
		},
	);

	it('that offers no skills changes nothing', async () => {
		const plugins = [{ source: './commands', name: 'x' }, null, 'y'];
		expect(await offered({ plugins })).toMatchObject({ names: ['one', 'three', 'two'], codes: [] });
	});

	it.each([
		['is a link', '-> x'],
		['is gigantic', ' '.repeat(1024 * 1024 + 1)],
	])('that %s is left alone', async (_, text) => {
		expect((await offered(text)).names).toEqual(['one', 'three', 'two']);
	});

	it('does not matter for other folders of the repository', async () => {
		await offered({ plugins: [{ skills: ['./skills/one'] }] });
		const sources = [{ path: '/skills', label: 'Skills' }];
		expect(await names(setOf(bench.open(), { sources }))).toEqual(['one', 'three', 'two']);
	});

	it('is read again when it changed', async () => {
		const file = '.claude-plugin/marketplace.json';
		const list = (skill: string) => JSON.stringify({ plugins: [{ skills: [`skills/${skill}`] }] });
		const repository = bench.create({ ...SKILLS, [file]: list('one') });
		const backend = bench.open();
		expect(await names(setOf(backend))).toEqual(['one']);
		repository.push({ [file]: list('two') });
		expire(backend.id);
		expect(await names(setOf(backend))).toEqual(['two']);
	});
});
