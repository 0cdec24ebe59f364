import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { SkillError } from '../../nodes/core/errors';
import { MAX_SKILL_FILE_BYTES } from '../../nodes/core/limits';
import { clearRegistryCache, scanSource } from '../../nodes/core/registry';
import { clearRemoteCache, remembered } from '../../nodes/core/remote';
import type { SkillBackend } from '../../nodes/core/types';
import {
	counting,
	diskBackend,
	memoryBackend,
	removeTempTrees,
	settle,
	skillText,
	skillTree,
	tempTree,
	writeTree,
} from './support';

beforeEach(clearRegistryCache);
afterAll(removeTempTrees);

const SOURCE = { path: '/', label: 'Test' };
const names = ({ skills }: { skills: Array<{ name: string }> }) => skills.map((one) => one.name);

describe('scanSource', () => {
	it('gives the skills with path, folder and label', async () => {
		const root = await tempTree({ 'pdf/SKILL.md': skillText('pdf', 'Reads PDF') });
		const { status, skills, diagnostics } = await scanSource(diskBackend(root), SOURCE);
		expect({ status, diagnostics }).toEqual({ status: 'ok', diagnostics: [] });
		expect(skills).toMatchObject([
			{
				name: 'pdf',
				description: 'Reads PDF',
				path: '/pdf/SKILL.md',
				directory: `${root}/pdf`,
				source: 'Test',
			},
		]);
	});

	it('one broken skill harms no other', async () => {
		const scan = await scanSource(
			memoryBackend({
				...skillTree({ a: 'A', z: 'Z' }),
				'no-header/SKILL.md': 'text',
				'no-name/SKILL.md': '---\ndescription: x\n---',
				'not-text/SKILL.md': Uint8Array.from([0xff, 0xfe, 0]),
			}),
			SOURCE,
		);
		expect(names(scan)).toEqual(['a', 'z']);
		expect(scan.status).toBe('ok');
		expect(scan.diagnostics.map(({ code, path }) => [code, path])).toEqual([
			['frontmatter-missing', '/no-header/SKILL.md'],
			['name-missing', '/no-name/SKILL.md'],
			['skill-not-utf8', '/not-text/SKILL.md'],
		]);
	});

	it('a SKILL.md that is too large costs only itself', async () => {
		const big = Buffer.alloc(MAX_SKILL_FILE_BYTES + 1, skillText('big'));
		const scan = await scanSource(
			memoryBackend({ ...skillTree({ a: 'A' }), 'big/SKILL.md': big }),
			SOURCE,
		);
		expect(names(scan)).toEqual(['a']);
		expect(scan.diagnostics).toMatchObject([{ code: 'skill-too-large', path: '/big/SKILL.md' }]);
	});

	it('an absent source says so, with its place', async () => {
		const root = await tempTree();
		const scan = await scanSource(diskBackend(root), { path: '/nope', label: 'X' });
		expect(scan).toMatchObject({ status: 'missing', skills: [] });
		expect(scan.diagnostics).toMatchObject([
			{ code: 'source-not-found', message: expect.stringContaining(`${root}/nope`) },
		]);
	});

	it('an empty source is empty, not failed', async () => {
		expect(await scanSource(memoryBackend({}), SOURCE)).toMatchObject({
			status: 'empty',
			diagnostics: [{ code: 'source-empty' }],
		});
	});

	it('whatever a backend throws becomes a diagnostic with its hint', async () => {
		const broken = (error: unknown): SkillBackend => ({
			...memoryBackend({}),
			id: `broken-${String(error)}`,
			list: async () => {
				throw error;
			},
		});
		const known = new SkillError('source-blocked', 'Not allowed.', 'Ask someone.');
		expect(await scanSource(broken(known), SOURCE)).toMatchObject({
			status: 'failed',
			diagnostics: [{ code: 'source-blocked', message: '/: Not allowed. Ask someone.' }],
		});
		expect(await scanSource(broken('odd'), SOURCE)).toMatchObject({
			status: 'failed',
			diagnostics: [{ code: 'source-unreadable', message: '/: odd' }],
		});
	});
});

describe('changes are seen by the next scan, without a restart', () => {
	it('an edit, an added, a deleted and a replaced skill', async () => {
		const root = await tempTree(skillTree({ a: 'first', b: 'B' }));
		const backend = diskBackend(root);
		await scanSource(backend, SOURCE);

		await writeTree(root, { 'a/SKILL.md': skillText('a', 'second'), ...skillTree({ c: 'C' }) });
		await rm(join(root, 'b'), { recursive: true });
		const { skills } = await scanSource(backend, SOURCE);
		expect(skills.map(({ name, description }) => [name, description])).toEqual([
			['a', 'second'],
			['c', 'C'],
		]);
	});

	it('a skill that broke is reported and one that was mended is back', async () => {
		const root = await tempTree(skillTree({ a: 'A' }));
		await scanSource(diskBackend(root), SOURCE);
		await writeFile(join(root, 'a/SKILL.md'), 'no header');
		expect((await scanSource(diskBackend(root), SOURCE)).diagnostics).toMatchObject([
			{ code: 'frontmatter-missing' },
		]);
		await writeFile(join(root, 'a/SKILL.md'), skillText('a', 'mended'));
		expect((await scanSource(diskBackend(root), SOURCE)).skills).toMatchObject([
			{ description: 'mended' },
		]);
	});
});

describe('cache', () => {
	it('unchanged files are not read again, changed ones alone are', async () => {
		const root = await tempTree(skillTree({ a: 'A', b: 'B', c: 'C' }));
		const { backend, calls } = counting(diskBackend(root));
		await settle();
		await scanSource(backend, SOURCE);
		expect(calls.paths).toEqual(['/a/SKILL.md', '/b/SKILL.md', '/c/SKILL.md']);
		await scanSource(backend, SOURCE);
		await scanSource(backend, SOURCE);
		expect(calls.reads).toBe(1);
		await writeFile(join(root, 'b/SKILL.md'), skillText('b', 'changed'));
		await scanSource(backend, SOURCE);
		expect(calls.paths.slice(3)).toEqual(['/b/SKILL.md']);
	});

	it('holds for another backend object over the same place', async () => {
		const root = await tempTree(skillTree({ a: 'A' }));
		await settle();
		await scanSource(diskBackend(root), SOURCE);
		const { backend, calls } = counting(diskBackend(root));
		expect(names(await scanSource(backend, SOURCE))).toEqual(['a']);
		expect(calls.reads).toBe(0);
	});

	it('keeps apart what has another label', async () => {
		const backend = memoryBackend(skillTree({ a: 'A' }));
		const [one, two] = await Promise.all([
			scanSource(backend, { path: '/', label: 'One' }),
			scanSource(backend, { path: '/', label: 'Two' }),
		]);
		expect([one.skills[0].source, two.skills[0].source]).toEqual(['One', 'Two']);
	});

	it('reads again where the backend knows no versions', async () => {
		const real = memoryBackend(skillTree({ a: 'A' }));
		const { backend, calls } = counting({
			...real,
			list: async (dir) =>
				(await real.list(dir))?.map((entry) => ({ ...entry, version: undefined })) ?? null,
		});
		await scanSource(backend, SOURCE);
		await scanSource(backend, SOURCE);
		expect(calls.reads).toBe(2);
	});

	it('does not remember a failure to read', async () => {
		const real = memoryBackend(skillTree({ a: 'A' }));
		let isDown = true;
		const flaky: SkillBackend = {
			...real,
			read: async (paths, maxBytes) =>
				isDown
					? paths.map((path) => ({ path, error: 'unreadable', message: 'EIO' }))
					: await real.read(paths, maxBytes),
		};
		expect((await scanSource(flaky, SOURCE)).diagnostics).toMatchObject([
			{ code: 'skill-unreadable', message: expect.stringContaining('EIO') },
		]);
		isDown = false;
		expect(names(await scanSource(flaky, SOURCE))).toEqual(['a']);
	});

	it('scans at the same time share one walk', async () => {
		const { backend, calls } = counting(memoryBackend(skillTree({ a: 'A', b: 'B' })));
		const scans = await Promise.all(Array.from({ length: 20 }, () => scanSource(backend, SOURCE)));
		expect(new Set(scans).size).toBe(1);
		expect(calls.lists).toBe(3);
		await scanSource(backend, SOURCE);
		expect(calls.lists).toBe(6);
	});
});

describe('a source that is down', () => {
	/** A real backend that can be taken down. */
	function switchable() {
		const real = memoryBackend(skillTree({ a: 'A' }));
		const state: { error?: SkillError; gone?: boolean } = {};
		const backend: SkillBackend = {
			...real,
			list: async (dir) => {
				if (state.error) throw state.error;
				return state.gone ? null : await real.list(dir);
			},
		};
		return { backend, state };
	}
	const down = new SkillError('source-unreadable', 'Connection refused.');
	const FINAL = ['source-blocked', 'source-denied', 'source-not-found'] as const;

	it('serves its last good copy, marked stale', async () => {
		const { backend, state } = switchable();
		await scanSource(backend, SOURCE);
		state.error = down;
		const scan = await scanSource(backend, SOURCE);
		expect(scan.status).toBe('stale');
		expect(names(scan)).toEqual(['a']);
		expect(scan.diagnostics).toMatchObject([
			{ code: 'source-stale', severity: 'warning', message: expect.stringContaining('refused') },
		]);
		state.error = undefined;
		expect(await scanSource(backend, SOURCE)).toMatchObject({ status: 'ok', diagnostics: [] });
	});

	it('says how old the copy is: as old as the answer of the place that it was made of', async () => {
		const { backend, state } = switchable();
		const anHourAgo = Date.now() - 3_600_000;
		await remembered(
			backend.id,
			0,
			async () => 'the list',
			() => anHourAgo,
		);
		await scanSource(backend, SOURCE);
		state.error = down;
		const [{ message }] = (await scanSource(backend, SOURCE)).diagnostics;
		expect(Number(/(\d+) seconds old/.exec(message)?.[1])).toBeGreaterThanOrEqual(3600);
		clearRemoteCache();
	});

	it('has nothing to serve the first time', async () => {
		const { backend, state } = switchable();
		state.error = down;
		expect(await scanSource(backend, SOURCE)).toMatchObject({ status: 'failed', skills: [] });
	});

	it.each(FINAL)('is never served from a copy once it said %s, nor later', async (code) => {
		const { backend, state } = switchable();
		await scanSource(backend, SOURCE);
		state.error = new SkillError(code, 'Not allowed.');
		expect(await scanSource(backend, SOURCE)).toMatchObject({ status: 'failed', skills: [] });
		state.error = down;
		expect(await scanSource(backend, SOURCE)).toMatchObject({ status: 'failed', skills: [] });
	});

	it('is never served from a copy once it was deleted', async () => {
		const { backend, state } = switchable();
		await scanSource(backend, SOURCE);
		state.gone = true;
		expect(await scanSource(backend, SOURCE)).toMatchObject({ status: 'missing', skills: [] });
		state.gone = false;
		state.error = down;
		expect(await scanSource(backend, SOURCE)).toMatchObject({ status: 'failed', skills: [] });
	});
});

describe('skills that an index tells of', () => {
	const indexed = (version: string, frontmatter: Record<string, unknown>): SkillBackend => ({
		...memoryBackend({}),
		id: 'index',
		location: 'https://example.com',
		list: async () => [{ path: '/a', isDirectory: true, version, frontmatter }],
	});

	it('are offered without a file being read; the version stands for the content', async () => {
		const { backend, calls } = counting(indexed('v1', { name: 'a', description: 'A' }));
		const scan = await scanSource(backend, SOURCE);
		expect(scan.skills).toMatchObject([
			{ name: 'a', directory: 'https://example.com/a', contentHash: 'v1', isIndexed: true },
		]);
		expect(calls.reads).toBe(0);
	});

	it('change with their version', async () => {
		await scanSource(indexed('v1', { name: 'a', description: 'old' }), SOURCE);
		const scan = await scanSource(indexed('v2', { name: 'a', description: 'new' }), SOURCE);
		expect(scan.skills).toMatchObject([{ description: 'new', contentHash: 'v2' }]);
	});

	it('need a name and a description as any other', async () => {
		const scan = await scanSource(indexed('v1', { name: 'a' }), SOURCE);
		expect(scan.skills).toEqual([]);
		expect(scan.diagnostics).toMatchObject([{ code: 'description-missing' }]);
	});
});
