import type * as FilesModule from 'node:fs';
import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { clearLooks } from '../../nodes/core/backends/looks';
import { HEAD_BYTES, MAX_CACHED_SKILLS, MAX_LOOKS_PER_SOURCE } from '../../nodes/core/limits';
import { LruMap } from '../../nodes/core/lru';
import { clearRegistryCache, scanSource } from '../../nodes/core/registry';
import {
	counting,
	diskBackend,
	load,
	removeTempTrees,
	setOf,
	settle,
	skillText,
	skillTree,
	tempTree,
	toolContext,
	writeTree,
} from './support';

beforeEach(() => {
	clearRegistryCache();
	clearLooks();
});
afterAll(removeTempTrees);

const SOURCE = { path: '/', label: 'Test' };

/** A folder of skills that was looked at once, long enough ago to be remembered. */
async function remembered(tree: Record<string, string>) {
	const root = await tempTree(skillTree(tree));
	await settle();
	const { backend, calls } = counting(diskBackend(root));
	const look = async () =>
		(await scanSource(backend, SOURCE)).skills.map(({ name, description }) => [name, description]);
	await look();
	calls.paths.length = 0;
	return { root, look, calls, file: (name: string) => join(root, name, 'SKILL.md') };
}

describe('what happened to a remembered skill is seen by the next look', () => {
	it('nothing: then no file is opened', async () => {
		const { look, calls } = await remembered({ a: 'A', b: 'B' });
		expect(await look()).toEqual([
			['a', 'A'],
			['b', 'B'],
		]);
		expect(calls.paths).toEqual([]);
	});

	it('it was edited: it alone is opened', async () => {
		const { look, calls, file } = await remembered({ a: 'A', b: 'B' });
		await writeFile(file('a'), skillText('a', 'edited'));
		expect(await look()).toEqual([
			['a', 'edited'],
			['b', 'B'],
		]);
		expect(calls.paths).toEqual(['/a/SKILL.md']);
	});

	it('it was edited to the same size, and its time of modification set back', async () => {
		const { look, file } = await remembered({ a: 'old' });
		const time = new Date(1_700_000_000_000);
		await writeFile(file('a'), skillText('a', 'new'));
		utimesSync(file('a'), time, time);
		expect(await look()).toEqual([['a', 'new']]);
		await writeFile(file('a'), skillText('a', 'two'));
		utimesSync(file('a'), time, time);
		expect(await look()).toEqual([['a', 'two']]);
	});

	it('one was added', async () => {
		const { root, look } = await remembered({ a: 'A' });
		await writeTree(root, skillTree({ b: 'B' }));
		expect(await look()).toEqual([
			['a', 'A'],
			['b', 'B'],
		]);
	});

	it('a SKILL.md was added to a folder that had none', async () => {
		const { root, look, file } = await remembered({ a: 'A' });
		await mkdir(join(root, 'b'));
		await settle();
		expect(await look()).toEqual([['a', 'A']]);
		await writeFile(file('b'), skillText('b', 'B'));
		expect(await look()).toHaveLength(2);
	});

	it.each([
		['its folder', ''],
		['its file alone', 'SKILL.md'],
	])('%s was deleted', async (_, path) => {
		const { root, look } = await remembered({ a: 'A', b: 'B' });
		await rm(join(root, 'a', path), { recursive: true });
		expect(await look()).toEqual([['b', 'B']]);
	});

	it('it was replaced by a file of the same size and time', async () => {
		const { root, look, file } = await remembered({ a: 'old' });
		const time = new Date(1_700_000_000_000);
		utimesSync(file('a'), time, time);
		await settle();
		expect(await look()).toEqual([['a', 'old']]);
		await writeFile(join(root, 'new'), skillText('a', 'new'));
		utimesSync(join(root, 'new'), time, time);
		await rename(join(root, 'new'), file('a'));
		expect(await look()).toEqual([['a', 'new']]);
	});

	it('its folder was renamed, and so was its file', async () => {
		const { root, look, file } = await remembered({ a: 'A' });
		await rename(join(root, 'a'), join(root, 'b'));
		expect(await look()).toEqual([['a', 'A']]);
		expect((await scanSource(diskBackend(root), SOURCE)).skills[0].path).toBe('/b/SKILL.md');
		await rename(file('b'), join(root, 'b/skill.txt'));
		expect(await look()).toEqual([]);
	});

	it('two folders were exchanged', async () => {
		const { root, look } = await remembered({ a: 'A', b: 'B' });
		await rename(join(root, 'a'), join(root, 'c'));
		await rename(join(root, 'b'), join(root, 'a'));
		await rename(join(root, 'c'), join(root, 'b'));
		const { skills } = await scanSource(diskBackend(root), SOURCE);
		expect(skills.map(({ name, path }) => [name, path])).toEqual([
			['b', '/a/SKILL.md'],
			['a', '/b/SKILL.md'],
		]);
		expect(await look()).toHaveLength(2);
	});

	it('a link to a secret took its place: it is refused', async () => {
		const secret = await tempTree({ 'SKILL.md': skillText('a', 'SECRET') });
		const { root, look } = await remembered({ a: 'A', b: 'B' });
		await rm(join(root, 'a'), { recursive: true });
		await symlink(secret, join(root, 'a'));
		expect(await look()).toEqual([['b', 'B']]);
		await mkdir(join(root, 'c'));
		await symlink(join(secret, 'SKILL.md'), join(root, 'c/SKILL.md'));
		expect(await look()).toEqual([['b', 'B']]);
	});
});

/** Lets the disk tell times in whole seconds, as some do. */
function withCoarseClock(): void {
	const files = jest.requireActual<typeof FilesModule>('node:fs');
	for (const name of ['lstatSync', 'fstatSync'] as const) {
		const real = files[name] as (...args: unknown[]) => FilesModule.Stats | undefined;
		jest.spyOn(files, name).mockImplementation(((...args: unknown[]) => {
			const stats = real(...args);
			if (!stats) return stats;
			stats.mtimeMs = Math.floor(stats.mtimeMs / 1000) * 1000;
			stats.ctimeMs = Math.floor(stats.ctimeMs / 1000) * 1000;
			return stats;
		}) as never);
	}
}

describe.each([
	['a disk with a fine clock', () => undefined],
	['a disk that counts whole seconds', withCoarseClock],
])('changes within one second on %s, each seen by the look right after it', (_, prepare) => {
	const ROUNDS = 40;
	const text = (round: number) => `round ${String(round).padStart(3, '0')}`;

	beforeEach(prepare);
	afterEach(() => jest.restoreAllMocks());

	it.each([
		['edits in place', (file: string, content: string) => writeFileSync(file, content)],
		[
			'replacements',
			(file: string, content: string) => {
				writeFileSync(`${file}.new`, content);
				renameSync(`${file}.new`, file);
			},
		],
		[
			'deletions and new files',
			(file: string, content: string) => {
				rmSync(file);
				writeFileSync(file, content);
			},
		],
	])('%s of the same size', async (__, change) => {
		const { look, file } = await remembered({ a: text(999) });
		for (let round = 0; round < ROUNDS; round++) {
			change(file('a'), skillText('a', text(round)));
			expect(await look()).toEqual([['a', text(round)]]);
		}
	});
});

describe('a SKILL.md of which discovery read the head alone', () => {
	const long = (text: string) => skillText('long', 'Long', text.padEnd(2 * HEAD_BYTES, '.'));

	it('is delivered anew when only its body changed since, and not when nothing did', async () => {
		const root = await tempTree({ 'long/SKILL.md': long('First') });
		const context = toolContext(setOf(diskBackend(root)));
		expect(await load(context, 'long')).toContain('First');
		expect(await load(context, 'long')).toContain('already loaded');
		await writeFile(join(root, 'long/SKILL.md'), long('Other'));
		expect(await load(context, 'long')).toMatch(/has changed since it was loaded[^]*Other/);
	});

	it('is offered even if its body is no text, and says so when it is loaded', async () => {
		const bytes = Buffer.concat([Buffer.from(long('text')), Buffer.from([0xff])]);
		const root = await tempTree({ 'long/SKILL.md': bytes });
		const set = setOf(diskBackend(root));
		const { skills } = await set.refresh();
		expect(skills).toMatchObject([{ name: 'long', description: 'Long' }]);
		expect(await set.load(skills[0])).toEqual({
			problem: expect.stringMatching(/^Failed to decode .* is not UTF-8$/),
		});
	});
});

describe('the memory has a limit', () => {
	it('of skills: what was not used for longest goes first, the last one never', () => {
		const map = new LruMap<string, number>(10);
		for (const [key, weight] of [
			['a', 5],
			['b', 1],
			['c', 4],
		] as const) {
			map.getOrCreate(key, () => weight);
		}
		map.trim(5, (weight) => weight);
		expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([undefined, 1, 4]);
		map.trim(0, (weight) => weight);
		expect([map.size, map.get('c')]).toEqual([1, 4]);
		expect(MAX_CACHED_SKILLS).toBeGreaterThanOrEqual(10_000);
	});

	it('of names that came and went in one source', async () => {
		const { looksOf, noteAbsent } = await import('../../nodes/core/backends/looks');
		const looks = looksOf('/somewhere');
		for (let index = 0; index < 2 * MAX_LOOKS_PER_SOURCE + 1; index++)
			noteAbsent(looks, `/${index}`);
		expect(looks.files.size).toBeLessThanOrEqual(MAX_LOOKS_PER_SOURCE);
	});
});
