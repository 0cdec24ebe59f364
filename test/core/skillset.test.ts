import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { nameFilter } from '../../nodes/core/pattern';
import { clearRegistryCache } from '../../nodes/core/registry';
import {
	createSkillSet,
	findSkill,
	type Refreshed,
	type RefreshMemory,
} from '../../nodes/core/skillset';
import type { SkillBackend, SkillMetadata, SkillSet, SkillSnapshot } from '../../nodes/core/types';
import {
	diskBackend,
	fakeSkill,
	memoryBackend,
	removeTempTrees,
	setOf,
	skillText,
	skillTree,
	tempTree,
} from './support';

beforeEach(clearRegistryCache);
afterAll(removeTempTrees);

const describeSkills = ({ skills }: SkillSnapshot) =>
	skills.map(({ name, description, source }) => [name, description, source]);
const codes = ({ diagnostics }: SkillSnapshot) => diagnostics.map((one) => one.code);
const get = (snapshot: SkillSnapshot, name: string) =>
	findSkill(snapshot.skills, name) as SkillMetadata;

describe('precedence', () => {
	const backend = memoryBackend({
		...skillTree({ pdf: 'from user', git: 'from user' }, 'user/'),
		...skillTree({ pdf: 'from project', xlsx: 'from project' }, 'project/'),
	});
	const user = { path: '/user', label: 'User' };
	const project = { path: '/project', label: 'Project' };

	it('the last source wins on equal names; the shadowed one is reported', async () => {
		const snapshot = await createSkillSet({ backend, sources: [user, project] }).refresh();
		expect(describeSkills(snapshot)).toEqual([
			['git', 'from user', 'User'],
			['pdf', 'from project', 'Project'],
			['xlsx', 'from project', 'Project'],
		]);
		expect(snapshot.diagnostics).toMatchObject([
			{
				code: 'skill-shadowed',
				severity: 'info',
				path: '/user/pdf/SKILL.md',
				message: expect.stringMatching(/"pdf".*\/project\/pdf \(Project\).*\/user\/pdf \(User\)/),
			},
		]);
	});

	it('follows the order of the list, not the names of the sources', async () => {
		const snapshot = await createSkillSet({ backend, sources: [project, user] }).refresh();
		expect(get(snapshot, 'pdf').source).toBe('User');
	});

	it('counts for each source what it holds and what is offered of it', async () => {
		const { sources } = await createSkillSet({ backend, sources: [user, project] }).refresh();
		expect(sources).toEqual([
			{ label: 'User', location: '/user', status: 'ok', found: 2, skills: 1 },
			{ label: 'Project', location: '/project', status: 'ok', found: 2, skills: 2 },
		]);
	});

	it('two equal names in one source are duplicates: the later path wins', async () => {
		const snapshot = await setOf(
			memoryBackend({
				'a/pdf/SKILL.md': skillText('pdf', 'first'),
				'b/pdf/SKILL.md': skillText('pdf', 'second'),
			}),
		).refresh();
		expect(describeSkills(snapshot)).toEqual([['pdf', 'second', 'Test']]);
		expect(codes(snapshot)).toEqual(['skill-duplicate']);
	});

	it('names that differ only in spelling are both offered, and reported', async () => {
		const snapshot = await setOf(
			memoryBackend(skillTree({ 'pdf-tools': 'a', 'PDF Tools': 'b', pdf_tools: 'c' })),
		).refresh();
		expect(snapshot.skills).toHaveLength(3);
		expect(codes(snapshot).filter((code) => code === 'name-ambiguous')).toHaveLength(2);
	});
});

describe('a remembered refresh', () => {
	const remember = (): RefreshMemory => {
		let kept: Refreshed | undefined;
		return { recall: () => kept, keep: (refreshed) => (kept = refreshed) };
	};
	const names = async (set: SkillSet) => (await set.refresh()).skills.map(({ name }) => name);
	/** A place that changes, with and without a stamp that says so. */
	const place = (stamp?: () => Promise<string>) => {
		let tree = skillTree({ git: 'x' });
		const now = () => memoryBackend(tree);
		const backend: SkillBackend = {
			...now(),
			list: async (dir) => await now().list(dir),
			read: async (paths, maxBytes) => await now().read(paths, maxBytes),
			stamp,
		};
		const change = () => void (tree = skillTree({ git: 'x', pdf: 'x' }));
		return { backend, change };
	};

	it('will do for a place that cannot tell when it changed', async () => {
		const { backend, change } = place();
		const set = setOf(backend, { memory: remember() });
		await set.refresh();
		change();
		expect(await names(set)).toEqual(['git']);
	});

	it.each(['own', 'base'])('does not hide a change that the %s layer tells of', async (layer) => {
		let version = 1;
		const { backend, change } = place(async () => String(version));
		const isOwn = layer === 'own';
		const other = memoryBackend(skillTree({ other: 'x' }));
		const base = isOwn ? undefined : setOf(backend);
		const set = setOf(isOwn ? backend : other, { base, memory: remember() });
		await set.refresh();
		change();
		expect(await names(set)).not.toContain('pdf');
		version++;
		expect(await names(set)).toContain('pdf');
	});

	it('will do while nobody can tell', async () => {
		let isDown = false;
		const { backend, change } = place(async () => {
			if (isDown) throw new Error('gone');
			return '1';
		});
		const set = setOf(backend, { memory: remember() });
		await set.refresh();
		isDown = true;
		change();
		expect(await names(set)).toEqual(['git']);
		await expect(set.stamp?.()).rejects.toThrow('does not answer');
	});
});

describe('order', () => {
	it('is by name and the same at every refresh', async () => {
		const tree = skillTree({ zeta: 'z', alpha: 'a', Übung: 'u', 'a-b': 'x', ab: 'y' });
		const reversed = Object.fromEntries(Object.entries(tree).reverse());
		const order = async (one: typeof tree) =>
			(await setOf(memoryBackend(one)).refresh()).skills.map((skill) => skill.name);
		expect(await order(tree)).toEqual(['a-b', 'ab', 'alpha', 'zeta', 'Übung']);
		expect(await order(reversed)).toEqual(await order(tree));
	});
});

describe('include and exclude', () => {
	const backend = memoryBackend(skillTree({ 'pdf-read': 'a', 'pdf-write': 'b', git: 'c' }));
	const visible = async (include: string[], exclude: string[]) => {
		const set = setOf(backend, { isVisible: nameFilter(include, exclude) });
		const { skills, sources } = await set.refresh();
		return [skills.map((skill) => skill.name), sources[0].skills, sources[0].found];
	};

	it('hide skills, and the counts say so', async () => {
		expect(await visible([], [])).toEqual([['git', 'pdf-read', 'pdf-write'], 3, 3]);
		expect(await visible(['pdf-*'], [])).toEqual([['pdf-read', 'pdf-write'], 2, 3]);
		expect(await visible([], ['*-write'])).toEqual([['git', 'pdf-read'], 2, 3]);
		expect(await visible(['pdf-*'], ['*-write'])).toEqual([['pdf-read'], 1, 3]);
	});

	it('nothing is said of a hidden skill, broken or not; of the others all', async () => {
		const tree = {
			'draft-a/SKILL.md': 'no frontmatter',
			'draft-b/SKILL.md': skillText('draft-b', 'x'.repeat(2000)),
			'good/SKILL.md': 'no frontmatter',
		};
		const isVisible = nameFilter([], ['draft-*']);
		const { diagnostics } = await setOf(memoryBackend(tree), { isVisible }).refresh();
		expect(diagnostics.map(({ path }) => path)).toEqual(['/good/SKILL.md']);
		const empty = await setOf(memoryBackend({}), { isVisible: nameFilter(['x-*'], []) }).refresh();
		expect(empty.diagnostics.map(({ code }) => code)).toEqual(['source-empty']);
	});

	it('reach through to the base', async () => {
		const top = setOf(memoryBackend({}), { base: setOf(backend), isVisible: (n) => n !== 'git' });
		const { skills, sources } = await top.refresh();
		expect(skills.map((skill) => skill.name)).toEqual(['pdf-read', 'pdf-write']);
		expect(sources[0]).toMatchObject({ skills: 2, found: 3 });
	});
});

describe('Base Skills: three layers over two backends', () => {
	async function layers() {
		const root = await tempTree({
			...skillTree({ shared: 'from disk', disk: 'from disk' }),
			'disk/references/guide.md': 'disk guide',
		});
		const bottom = setOf(
			memoryBackend({ ...skillTree({ shared: 'bottom', bottom: 'bottom' }), 'bottom/x.md': 'bx' }),
			{ sources: [{ path: '/', label: 'Bottom' }] },
		);
		const middle = setOf(diskBackend(root), {
			sources: [{ path: '/', label: 'Disk' }],
			base: bottom,
		});
		const top = setOf(memoryBackend(skillTree({ shared: 'top', top: 'top' })), {
			sources: [{ path: '/', label: 'Top' }],
			base: middle,
		});
		return { root, top };
	}

	it('the outer one overrides what lies underneath', async () => {
		const { top } = await layers();
		const snapshot = await top.refresh();
		expect(describeSkills(snapshot)).toEqual([
			['bottom', 'bottom', 'Bottom'],
			['disk', 'from disk', 'Disk'],
			['shared', 'top', 'Top'],
			['top', 'top', 'Top'],
		]);
		expect(codes(snapshot)).toEqual(['skill-shadowed', 'skill-shadowed']);
		expect(snapshot.sources.map(({ label, skills, found }) => [label, skills, found])).toEqual([
			['Bottom', 1, 2],
			['Disk', 1, 2],
			['Top', 2, 2],
		]);
	});

	it('each skill is loaded and read from its own backend', async () => {
		const { top } = await layers();
		const snapshot = await top.refresh();
		for (const name of ['bottom', 'disk', 'shared', 'top']) {
			expect(await top.load(get(snapshot, name))).toMatchObject({ body: `\n# ${name}\n` });
		}
		expect(await top.resources(get(snapshot, 'disk'))).toEqual([
			{ type: 'reference', path: 'references/guide.md' },
		]);
		expect(await top.resources(get(snapshot, 'bottom'))).toEqual([{ type: 'other', path: 'x.md' }]);
		const [file] = await top.readFiles(get(snapshot, 'bottom'), ['x.md'], 100);
		expect('content' in file && Buffer.from(file.content).toString()).toBe('bx');
	});

	it('a skill that another call refreshed away is still read from its own backend', async () => {
		const { root, top } = await layers();
		const old = get(await top.refresh(), 'disk');
		await writeFile(join(root, 'disk/SKILL.md'), skillText('disk', 'changed', 'new body'));
		await top.refresh();
		expect(await top.load(old)).toMatchObject({ body: '\nnew body' });
	});

	it('counts by the skills themselves where labels are equal', async () => {
		const base = setOf(memoryBackend(skillTree({ a: 'base', b: 'base' })));
		const top = setOf(memoryBackend(skillTree({ a: 'top', b: 'top' })), { base });
		expect((await top.refresh()).sources.map((source) => source.skills)).toEqual([0, 2]);
	});

	it('findings of the base come first, own ones after', async () => {
		const base = setOf(memoryBackend({ 'x/SKILL.md': 'none' }));
		const top = setOf(memoryBackend({}), { base });
		expect(codes(await top.refresh())).toEqual(['frontmatter-missing', 'source-empty']);
	});
});

describe('one broken source harms no other', () => {
	it('a missing and an empty one are reported beside a good one', async () => {
		const set = createSkillSet({
			backend: memoryBackend({ ...skillTree({ a: 'A' }, 'good/'), 'empty/x.txt': '' }),
			sources: [
				{ path: '/missing', label: 'M' },
				{ path: '/good', label: 'G' },
				{ path: '/empty', label: 'E' },
			],
		});
		const snapshot = await set.refresh();
		expect(snapshot.skills.map((skill) => skill.name)).toEqual(['a']);
		expect(snapshot.sources.map((source) => source.status)).toEqual(['missing', 'ok', 'empty']);
		expect(codes(snapshot)).toEqual(['source-not-found', 'source-empty']);
	});

	it('findings from before any source are kept', async () => {
		const finding = { code: 'data-invalid', severity: 'error', message: 'x' } as const;
		const set = setOf(memoryBackend(skillTree({ a: 'A' })), { diagnostics: [finding] });
		expect((await set.refresh()).diagnostics).toEqual([finding]);
	});
});

describe('load', () => {
	async function problemOf(change: (root: string) => Promise<void>) {
		const root = await tempTree(skillTree({ pdf: 'x' }));
		const set: SkillSet = setOf(diskBackend(root));
		const skill = get(await set.refresh(), 'pdf');
		await change(root);
		return await set.load(skill);
	}

	it('gives the body without the header, and the hash of the file', async () => {
		const set = setOf(memoryBackend({ 'a/SKILL.md': skillText('a', 'd', '# Do\r\nthis') }));
		const skill = get(await set.refresh(), 'a');
		expect(await set.load(skill)).toEqual({ body: '\n# Do\nthis', contentHash: skill.contentHash });
	});

	it('of a file that is gone: Failed to read', async () => {
		const { rm } = await import('node:fs/promises');
		expect(
			await problemOf(async (root) => await rm(join(root, 'pdf'), { recursive: true })),
		).toEqual({
			problem: expect.stringMatching(/^Failed to read skill file at .*: file not found$/),
		});
	});

	it('of a file that grew too large: exceeds maximum size', async () => {
		const big = Buffer.alloc(10 * 1024 * 1024 + 1, 'x');
		expect(
			await problemOf(async (root) => await writeFile(join(root, 'pdf/SKILL.md'), big)),
		).toEqual({ problem: expect.stringContaining('exceeds maximum size (10,485,760 bytes)') });
	});

	it('of a file that is no longer text: Failed to decode', async () => {
		expect(
			await problemOf(
				async (root) => await writeFile(join(root, 'pdf/SKILL.md'), Uint8Array.from([0x61, 0xff])),
			),
		).toEqual({ problem: expect.stringMatching(/^Failed to decode.*byte 2 is not UTF-8$/) });
	});
});

describe('findSkill', () => {
	const skills = [fakeSkill('pdf-tools'), fakeSkill('a_b'), fakeSkill('a-b')];

	it('finds the exact name', () => {
		expect(findSkill(skills, 'a-b')?.name).toBe('a-b');
		expect(findSkill(skills, 'a_b')?.name).toBe('a_b');
	});

	it.each(['PDF Tools', 'pdf_tools', ' pdf-tools ', 'Pdf-Tools'])(
		'finds the only one that is spelled nearly as %j',
		(name) => {
			expect(findSkill(skills, name)?.name).toBe('pdf-tools');
		},
	);

	it('finds none when two are spelled nearly so, or none is', () => {
		expect(findSkill(skills, 'A B')).toBeUndefined();
		expect(findSkill(skills, 'other')).toBeUndefined();
		expect(findSkill(skills, '')).toBeUndefined();
	});
});
