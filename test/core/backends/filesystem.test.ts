import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { createFilesystemBackend, type FileAccess } from '../../../nodes/core/backends';
import { SkillError } from '../../../nodes/core/errors';
import type { SkillBackend } from '../../../nodes/core/types';
import { diskBackend, openAccess, removeTempTrees, settle, tempTree, writeTree } from '../support';
import { describeBackendContract } from './contract';

afterAll(removeTempTrees);

describeBackendContract('filesystem', async (tree) => {
	const root = await tempTree(tree);
	return {
		backend: diskBackend(root),
		change: async (changes) => {
			await writeTree(root, changes);
			return diskBackend(root);
		},
		settle,
	};
});

describeBackendContract('filesystem without a root', async (tree) => {
	const folder = await tempTree(tree);
	const backend = inFolder(diskBackend('', [folder]), folder);
	return {
		backend,
		change: async (changes) => {
			await writeTree(folder, changes);
			return backend;
		},
		settle,
	};
});

/** Gives back the backend as seen from one of its folders, so that one contract fits both. */
function inFolder(backend: SkillBackend, folder: string): SkillBackend {
	const isPath = (path: unknown): path is string =>
		typeof path === 'string' && path.startsWith('/');
	const whole = (path: string) => {
		if (!isPath(path)) return path;
		return path === '/' ? folder : folder + path;
	};
	const short = (path: string) => {
		if (!isPath(path) || !path.startsWith(folder)) return path;
		return path.slice(folder.length) || '/';
	};
	return {
		...backend,
		list: async (dir) =>
			(await backend.list(whole(dir)))?.map((one) => ({ ...one, path: short(one.path) })) ?? null,
		read: async (paths, maxBytes) =>
			(await backend.read(paths.map(whole), maxBytes)).map((one) => ({
				...one,
				path: short(one.path),
			})),
	};
}

async function readText(backend: SkillBackend, path: string): Promise<string> {
	const [result] = await backend.read([path], 1000);
	return 'error' in result ? `(${result.error})` : Buffer.from(result.content).toString();
}

async function entryOf(backend: SkillBackend, path: string) {
	const list = await backend.list(path.slice(0, path.lastIndexOf('/')) || '/');
	return list?.find((entry) => entry.path === path);
}

describe('links', () => {
	const SECRET = 'SECRET';

	/** A source at /skills of the root, and a secret beside it. */
	async function makeLinks() {
		const root = await tempTree({
			'outside/secret.md': SECRET,
			'outside/folder/SKILL.md': SECRET,
			'skills/real/SKILL.md': 'real',
			'skills/real/guide.md': 'guide',
			'skills/inside.md': '-> real/guide.md',
			'skills/inside-folder': '-> real',
			'skills/inside-absolute.md': '-> {root}/skills/real/guide.md',
			'skills/chain-1.md': '-> chain-2.md',
			'skills/chain-2.md': '-> inside.md',
			'skills/out.md': '-> ../outside/secret.md',
			'skills/out-absolute.md': '-> {root}/outside/secret.md',
			'skills/out-folder': '-> ../outside/folder',
			'skills/out-chain.md': '-> chain-3.md',
			'skills/chain-3.md': '-> out.md',
			'skills/etc': '-> /etc',
			'skills/trap/SKILL.md': '-> ../../outside/secret.md',
			'skills/dangling.md': '-> nowhere.md',
			'skills/loop.md': '-> loop.md',
		});
		return diskBackend(root, ['/skills']);
	}

	it.each([
		['a relative one', '/skills/inside.md', 'guide'],
		['an absolute one', '/skills/inside-absolute.md', 'guide'],
		['a chain', '/skills/chain-1.md', 'guide'],
		['through a linked folder', '/skills/inside-folder/SKILL.md', 'real'],
	])('inside the source are followed: %s', async (_, path, text) => {
		expect(await readText(await makeLinks(), path)).toBe(text);
	});

	it('inside the source are listed as what they point to', async () => {
		const backend = await makeLinks();
		expect(await entryOf(backend, '/skills/inside-folder')).toMatchObject({ isDirectory: true });
		expect(await entryOf(backend, '/skills/inside.md')).toMatchObject({
			isDirectory: false,
			size: 5,
			version: expect.any(String),
		});
	});

	it.each([
		['a file', '/skills/out.md'],
		['an absolute one', '/skills/out-absolute.md'],
		['a file behind a linked folder', '/skills/out-folder/SKILL.md'],
		['a chain', '/skills/out-chain.md'],
		['a SKILL.md itself', '/skills/trap/SKILL.md'],
		['a folder of the system', '/skills/etc/passwd'],
	])('out of the source are never read: %s', async (_, path) => {
		expect(await readText(await makeLinks(), path)).toBe('(access_denied)');
	});

	it.each(['/skills/out.md', '/skills/out-absolute.md', '/skills/out-folder', '/skills/etc'])(
		'out of the source are listed as refused: %s',
		async (path) => {
			expect(await entryOf(await makeLinks(), path)).toEqual({
				path,
				isDirectory: false,
				refused: 'link-outside',
			});
		},
	);

	it('out of the source are not listed through', async () => {
		const backend = await makeLinks();
		await expect(backend.list('/skills/out-folder')).rejects.toThrow('leaves the source');
		await expect(backend.list('/skills/etc')).rejects.toBeInstanceOf(SkillError);
	});

	it('that lead nowhere are left out and cannot be read', async () => {
		const backend = await makeLinks();
		expect(await entryOf(backend, '/skills/dangling.md')).toBeUndefined();
		expect(await entryOf(backend, '/skills/loop.md')).toBeUndefined();
		expect(await readText(backend, '/skills/dangling.md')).toBe('(not_found)');
		expect(await readText(backend, '/skills/loop.md')).not.toContain(SECRET);
	});

	it('may be the source itself', async () => {
		const root = await tempTree({ 'real/one/SKILL.md': 'text', skills: '-> real' });
		const backend = diskBackend(root, ['/skills']);
		expect(await backend.list('/skills')).toEqual([{ path: '/skills/one', isDirectory: true }]);
		expect(await readText(backend, '/skills/one/SKILL.md')).toBe('text');
	});

	it('may be a source inside another source', async () => {
		const root = await tempTree({
			'elsewhere/x/SKILL.md': 'text',
			'skills/team': '-> ../elsewhere',
		});
		const backend = diskBackend(root, ['/skills', '/skills/team']);
		expect(await entryOf(backend, '/skills/team')).toMatchObject({ refused: 'link-outside' });
		expect(await readText(backend, '/skills/team/x/SKILL.md')).toBe('text');
	});

	it('that are put in place of a file after listing are refused', async () => {
		const root = await tempTree({ 'skills/a.md': 'a', 'secret.md': SECRET });
		const backend = diskBackend(root, ['/skills']);
		await backend.list('/skills');
		await rm(join(root, 'skills/a.md'));
		await symlink('../secret.md', join(root, 'skills/a.md'));
		expect(await readText(backend, '/skills/a.md')).toBe('(access_denied)');
	});
});

describe('what is outside of the sources', () => {
	it('is not there, even below the same root', async () => {
		const root = await tempTree({ 'a/SKILL.md': 'a', 'b/SKILL.md': 'b', 'ab/SKILL.md': 'ab' });
		const backend = diskBackend(root, ['/a']);
		expect(await readText(backend, '/a/SKILL.md')).toBe('a');
		expect(await readText(backend, '/b/SKILL.md')).toBe('(access_denied)');
		expect(await readText(backend, '/ab/SKILL.md')).toBe('(access_denied)');
		await expect(backend.list('/b')).rejects.toMatchObject({ code: 'source-blocked' });
		await expect(backend.list('/')).rejects.toMatchObject({ code: 'source-blocked' });
	});

	it('does not depend on the home folder: "~" is an ordinary name here', async () => {
		const root = await tempTree({ '~/SKILL.md': 'tilde' });
		expect(await readText(diskBackend(root), '/~/SKILL.md')).toBe('tilde');
		expect(await diskBackend('', ['/~']).list('/~')).toBeNull();
		expect(homedir()).not.toBe('');
	});
});

describe('special files', () => {
	it('a named pipe neither hangs nor is listed', async () => {
		const root = await tempTree({ 'one/SKILL.md': 'one' });
		execFileSync('mkfifo', [join(root, 'one/pipe'), join(root, 'pipe-skill')]);
		await symlink('one/pipe', join(root, 'link-to-pipe'));
		const backend = diskBackend(root);
		expect(await readText(backend, '/one/pipe')).toBe('(not_a_file)');
		expect(await readText(backend, '/link-to-pipe')).toBe('(not_a_file)');
		expect((await backend.list('/'))?.map((entry) => entry.path)).toEqual(['/one']);
		expect((await backend.list('/one'))?.map((entry) => entry.path)).toEqual(['/one/SKILL.md']);
	});

	it('a name that a path cannot hold is left out', async () => {
		const root = await tempTree({ 'good.md': 'x', 'back\\slash.md': 'x', 'new\nline.md': 'x' });
		expect(await diskBackend(root).list('/')).toMatchObject([{ path: '/good.md' }]);
	});

	it('a name that is too long for the disk is an answer, not a crash', async () => {
		const root = await tempTree();
		expect(await readText(diskBackend(root), `/${'a'.repeat(300)}`)).toBe('(access_denied)');
	});
});

describe('folders that cannot be used', () => {
	it('a file as the source is said to be none', async () => {
		const root = await tempTree({ 'skills.txt': 'x' });
		await expect(diskBackend(root, ['/skills.txt']).list('/skills.txt')).rejects.toMatchObject({
			code: 'source-not-folder',
		});
	});

	it('a link in a circle as the source is unreadable', async () => {
		const root = await tempTree({ skills: '-> skills' });
		await expect(diskBackend(root, ['/skills']).list('/skills')).rejects.toMatchObject({
			code: 'source-unreadable',
			message: expect.stringContaining('ELOOP'),
		});
	});

	it('a folder without permission is unreadable', async () => {
		const root = await tempTree({ 'locked/SKILL.md': 'x' });
		await chmod(join(root, 'locked'), 0);
		const listed = await runAsNobody(root, 'list');
		const read = await runAsNobody(root, 'read');
		await chmod(join(root, 'locked'), 0o755);
		expect(listed).toBe('source-unreadable');
		expect(read).toMatch(/^(?:access_denied|unreadable)$/);
	});

	// The superuser may read everything, so a root user steps down for the length of one call.
	async function runAsNobody(root: string, what: 'list' | 'read'): Promise<string> {
		const isRoot = process.geteuid?.() === 0;
		if (isRoot) {
			await chmod(root, 0o755);
			process.setegid?.(65534);
			process.seteuid?.(65534);
		}
		try {
			const backend = diskBackend(root);
			if (what === 'read') return (await readText(backend, '/locked/SKILL.md')).slice(1, -1);
			return await backend.list('/locked').then(
				() => 'listed',
				(error: SkillError) => error.code,
			);
		} finally {
			if (isRoot) {
				process.seteuid?.(0);
				process.setegid?.(0);
			}
		}
	}
});

describe('n8n forbids', () => {
	const blocking = (part: string): FileAccess => ({
		isBlocked: async (path) => path.includes(part),
		explain: (path) => `Ask an administrator to allow ${path}.`,
	});

	it('the source: it is blocked, and the error says what to do', async () => {
		const root = await tempTree({ 'skills/one/SKILL.md': 'x' });
		const backend = diskBackend(root, ['/skills'], blocking('skills'));
		await expect(backend.list('/skills')).rejects.toMatchObject({
			code: 'source-blocked',
			hint: expect.stringMatching(/^Ask an administrator to allow .*\/skills\.$/),
		});
		expect(await readText(backend, '/skills/one/SKILL.md')).toBe('(access_denied)');
	});

	it('a single file: only that one is refused', async () => {
		const root = await tempTree({ 'one/SKILL.md': 'x', 'one/.env': 'SECRET' });
		const backend = diskBackend(root, ['/'], blocking('.env'));
		expect(await readText(backend, '/one/.env')).toBe('(access_denied)');
		expect(await readText(backend, '/one/SKILL.md')).toBe('x');
	});

	it('the target of a link: the real path counts', async () => {
		const root = await tempTree({ 'real/.env': 'SECRET', 'alias.md': '-> real/.env' });
		expect(await readText(diskBackend(root, ['/'], blocking('.env')), '/alias.md')).toBe(
			'(access_denied)',
		);
	});
});

describe('changes on the disk are seen by the next list', () => {
	let root: string;
	let backend: SkillBackend;
	const versions = async () =>
		Object.fromEntries(
			((await backend.list('/one')) ?? []).map(({ path, version }) => [path, version]),
		);

	beforeEach(async () => {
		root = await tempTree({ 'one/SKILL.md': 'aaaa' });
		backend = diskBackend(root);
	});

	it('an edit', async () => {
		const before = await versions();
		await writeFile(join(root, 'one/SKILL.md'), 'longer than before');
		expect(await versions()).not.toEqual(before);
	});

	it('a replacement of the same size that keeps the modification time', async () => {
		const time = new Date(1_700_000_000_000);
		await utimes(join(root, 'one/SKILL.md'), time, time);
		const before = await versions();
		await writeFile(join(root, 'one/new'), 'bbbb');
		await utimes(join(root, 'one/new'), time, time);
		await rename(join(root, 'one/new'), join(root, 'one/SKILL.md'));
		expect(await versions()).not.toEqual(before);
	});

	it('an added file and a deleted one', async () => {
		await writeFile(join(root, 'one/extra.md'), 'x');
		expect(Object.keys(await versions())).toEqual(['/one/SKILL.md', '/one/extra.md']);
		await rm(join(root, 'one/SKILL.md'));
		expect(Object.keys(await versions())).toEqual(['/one/extra.md']);
	});

	it('a renamed folder', async () => {
		await rename(join(root, 'one'), join(root, 'two'));
		expect(await backend.list('/one')).toBeNull();
		expect(await backend.list('/')).toEqual([{ path: '/two', isDirectory: true }]);
	});

	it('an edit of what a link points to', async () => {
		await mkdir(join(root, 'shared'));
		await writeFile(join(root, 'shared/real.md'), 'a');
		await symlink('../shared/real.md', join(root, 'one/link.md'));
		const before = await versions();
		await writeFile(join(root, 'shared/real.md'), 'ab');
		expect(await versions()).not.toEqual(before);
	});
});

it('shows its root as its location, so that people find the files', async () => {
	const root = await tempTree();
	const backend = createFilesystemBackend({ root, sources: ['/'], access: openAccess });
	expect(backend.location).toBe(root);
	expect(diskBackend('', ['/skills']).location).toBe('');
});
