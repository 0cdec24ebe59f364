import files from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { clearLooks } from '../../../nodes/core/backends/looks';
import { wayTo } from '../../../nodes/core/backends/way';
import { FEW_HEADS, MAX_OPEN_HEADS } from '../../../nodes/core/limits';
import { discoverSkills } from '../../../nodes/core/discover';
import { diskBackend, openAccess, removeTempTrees, settle, skillTree, tempTree } from '../support';

// Others are busy beside the folders of these tests, and are waited for.
jest.setTimeout(60_000);
beforeEach(clearLooks);
afterAll(removeTempTrees);

/** The way to a folder once the disk has come to rest: others may be busy beside it. */
async function settledWay(folder: string): Promise<string> {
	for (;;) {
		await settle();
		const way = wayTo(folder);
		if (way !== null) return way;
	}
}

describe('the way to a folder', () => {
	it('is the same while nothing changes', async () => {
		const root = await tempTree({ 'a/b/file': '' });
		const way = await settledWay(join(root, 'a/b'));
		expect(wayTo(join(root, 'a/b'))).toBe(way);
	});

	it('is not known right after a change, or with a link on it', async () => {
		const root = await tempTree({ 'a/b/file': '', link: '-> {root}/a' });
		expect(wayTo(join(root, 'a/b'))).toBeNull();
		await settledWay(join(root, 'a/b'));
		expect(wayTo(join(root, 'link/b'))).toBeNull();
		expect(wayTo(join(root, 'a/b/file'))).toBeNull();
		expect(wayTo(join(root, 'absent'))).toBeNull();
	});

	it("is not known right after a change in the disk's root", async () => {
		const root = await tempTree({ 'a/file': '' });
		await settledWay(join(root, 'a'));
		const { lstatSync } = files;
		const look = jest.spyOn(files, 'lstatSync').mockImplementation(((path: string) => {
			const stats = lstatSync(path);
			return path === '/' ? Object.assign(stats, { ctimeMs: Date.now() + 0.5 }) : stats;
		}) as typeof lstatSync);
		const way = wayTo(join(root, 'a'));
		look.mockRestore();
		expect(way).toBeNull();
	});

	it('is another one after a folder above was taken away for a moment', async () => {
		const root = await tempTree({ 'a/b/c/file': '' });
		const way = await settledWay(join(root, 'a/b/c'));
		await rename(join(root, 'a/b'), join(root, 'a/away'));
		await symlink('/etc', join(root, 'a/b'));
		await rm(join(root, 'a/b'));
		await rename(join(root, 'a/away'), join(root, 'a/b'));
		expect(await settledWay(join(root, 'a/b/c'))).not.toBe(way);
	});
});

describe('what is exchanged for a link while a source is read', () => {
	const OUTSIDE = skillTree({ a: 'SECRET' });
	// The first few files are looked at one by one.
	const FIRST = Object.fromEntries(
		Array.from({ length: FEW_HEADS }, (_, index) => [`_${index}`, 'First']),
	);

	/** The descriptions that discovery gets hold of; `meanwhile` runs after the folder was listed. */
	async function heads(root: string, meanwhile: () => Promise<void>): Promise<string> {
		let asked = 0;
		// Asked for the listing first, then before files are opened.
		const isBlocked = async () => {
			if (++asked === 2) await meanwhile();
			return false;
		};
		let taken = '';
		const backend = diskBackend(root, ['/up/source'], { ...openAccess, isBlocked });
		await discoverSkills(backend, '/up/source', (_, head) => {
			taken += Buffer.from(head).toString();
		});
		return taken;
	}

	it.each([
		['just now', async () => undefined],
		['a while ago', settle],
	])("is not followed out of the source: a skill's folder, %s", async (_, wait) => {
		const root = await tempTree({
			...skillTree({ ...FIRST, a: 'A', b: 'B' }, 'up/source/'),
			'outside/SKILL.md': OUTSIDE['a/SKILL.md'],
		});
		await settledWay(join(root, 'up/source'));
		const taken = await heads(root, async () => {
			await rm(join(root, 'up/source/a'), { recursive: true });
			await symlink(join(root, 'outside'), join(root, 'up/source/a'));
			await wait();
		});
		expect(taken).toContain('description: B');
		expect(taken).not.toContain('SECRET');
	});

	it.each([
		['just now', async () => undefined],
		['a while ago', settle],
	])('is not followed out of the source: a folder above it, %s', async (_, wait) => {
		const root = await tempTree({
			...skillTree({ ...FIRST, a: 'A' }, 'up/source/'),
			...skillTree({ ...FIRST, a: 'SECRET' }, 'outside/source/'),
		});
		await settledWay(join(root, 'up/source'));
		const taken = await heads(root, async () => {
			await rename(join(root, 'up'), join(root, 'away'));
			await symlink(join(root, 'outside'), join(root, 'up'));
			await wait();
		});
		expect(taken).not.toContain('SECRET');
	});

	it('is not followed when all is put back before anybody looks', async () => {
		const root = await tempTree({
			...skillTree({ ...FIRST, a: 'A' }, 'up/source/'),
			...skillTree({ ...FIRST, a: 'SECRET' }, 'outside/source/'),
		});
		await settledWay(join(root, 'up/source'));
		const { openSync } = files;
		const opened = jest.spyOn(files, 'openSync').mockImplementation((...call) => {
			if (!String(call[0]).endsWith('/a/SKILL.md')) return openSync(...call);
			files.renameSync(join(root, 'up'), join(root, 'away'));
			files.symlinkSync(join(root, 'outside'), join(root, 'up'));
			const file = openSync(...call);
			files.rmSync(join(root, 'up'));
			files.renameSync(join(root, 'away'), join(root, 'up'));
			return file;
		});
		const taken = await heads(root, async () => undefined);
		expect(opened).toHaveBeenCalled();
		opened.mockRestore();
		expect(taken).not.toContain('SECRET');
	});

	it('is not followed when that happens between two lots of files', async () => {
		const names = Array.from({ length: 2 * MAX_OPEN_HEADS }, (_, index) => `s${index}`);
		const all = (text: string, below: string) =>
			skillTree(Object.fromEntries(names.map((name) => [name, text])), below);
		const root = await tempTree({
			...all('A', 'up/source/'),
			...all('SECRET', 'outside/source/'),
		});
		await settledWay(join(root, 'up/source'));
		let taken = '';
		let isExchanged = false;
		const isBlocked = async () => {
			if (!isExchanged && (taken.match(/description: A/g)?.length ?? 0) > FEW_HEADS) {
				isExchanged = true;
				await rename(join(root, 'up'), join(root, 'away'));
				await symlink(join(root, 'outside'), join(root, 'up'));
			}
			return false;
		};
		const backend = diskBackend(root, ['/up/source'], { ...openAccess, isBlocked });
		await discoverSkills(backend, '/up/source', (_, head) => {
			taken += Buffer.from(head).toString();
		});
		expect(isExchanged).toBe(true);
		expect(taken.match(/description: A/g)?.length).toBeGreaterThanOrEqual(MAX_OPEN_HEADS);
		expect(taken).not.toContain('SECRET');
	});
});

it('a source whose folders hold files, links inside it and groups is read as before', async () => {
	const root = await tempTree({
		...skillTree({ a: 'A', b: 'B' }, 'source/'),
		...skillTree({ c: 'C' }, 'source/group/'),
		'source/link': '-> {root}/source/group/c',
	});
	await settledWay(join(root, 'source'));
	const paths: string[] = [];
	const found = await discoverSkills(diskBackend(root), '/source', ({ path }) => {
		paths.push(path);
	});
	expect(found.files.map(({ path }) => path)).toEqual([
		'/source/a/SKILL.md',
		'/source/b/SKILL.md',
		'/source/group/c/SKILL.md',
		'/source/link/SKILL.md',
	]);
	expect(paths.sort()).toEqual(found.files.map(({ path }) => path));
	await mkdir(join(root, 'source/d'));
	await writeFile(join(root, 'source/d/SKILL.md'), 'x');
	expect((await discoverSkills(diskBackend(root), '/source')).files).toHaveLength(5);
});
