import { SkillError } from '../../../nodes/core/errors';
import type { SkillBackend } from '../../../nodes/core/types';
import type { Tree } from '../support';

/** A backend over some files, and the same place after some of them changed. */
export interface BackendUnderTest {
	backend: SkillBackend;
	change(tree: Tree): Promise<SkillBackend>;
	/** Where a change of this very moment could look like none: waits until it cannot. */
	settle?(): Promise<void>;
}

const TREE: Tree = {
	'one/SKILL.md': 'first',
	'one/scripts/run.py': 'print(1)',
	'one/scripts/deep/er.txt': 'deep',
	'two/SKILL.md': 'second',
	'übung/日本語 и/😀.md': 'unicode',
	'empty.txt': '',
	'bytes.bin': Uint8Array.from([0, 255, 128, 10]),
};

/** Paths that must give nothing, whoever asks. */
export const HOSTILE_PATHS = [
	'..',
	'/..',
	'/../..',
	'/one/../..',
	'/one/../../etc/passwd',
	'/one/..',
	'../one/SKILL.md',
	'one/SKILL.md',
	'',
	' ',
	'.',
	'\\..\\..\\etc\\passwd',
	'/one\\SKILL.md',
	'/one/..\\..\\SKILL.md',
	'/one/SKILL.md\0.txt',
	'/\0',
	'//one/SKILL.md',
	'/one//SKILL.md',
	'/one/./SKILL.md',
	'C:\\Windows\\win.ini',
	'C:/Windows/win.ini',
	'/C:/Windows/win.ini',
	'file:///etc/passwd',
	'/%2e%2e/%2e%2e/etc/passwd',
	'/etc/passwd',
	`/${'a/'.repeat(2000)}SKILL.md`,
	`/${'a'.repeat(300)}`,
	'/one/SKILL.md\n',
	'/one/SKILL.md/',
	'/one/SKILL.md/..',
];

/** What a place cannot tell without the file itself. */
export interface Unknowns {
	sizes?: boolean;
	versions?: boolean;
}

/** Runs what every backend owes its users; each backend's own file adds only its peculiarities. */
export function describeBackendContract(
	name: string,
	makeBackend: (tree: Tree) => Promise<BackendUnderTest>,
	unknown: Unknowns = {},
): void {
	describe(`${name} backend: contract`, () => {
		let backend: SkillBackend;
		let change: BackendUnderTest['change'];
		let settle: BackendUnderTest['settle'];

		beforeEach(async () => ({ backend, change, settle } = await makeBackend(TREE)));

		describeList(() => backend);
		if (!unknown.sizes) describeSizes(() => backend);
		describeRead(() => backend);
		describeHostility(() => backend);
		if (!unknown.versions) {
			describeChanges(
				() => backend,
				async (tree) => await change(tree),
				async () => await settle?.(),
			);
		}
	});
}

async function entries(backend: SkillBackend, dir: string) {
	const list = (await backend.list(dir)) ?? [];
	return list.map(({ path, isDirectory }) => [path, isDirectory]);
}

function describeList(get: () => SkillBackend): void {
	describe('list', () => {
		it('gives one level, in order, with folders marked', async () => {
			expect(await entries(get(), '/')).toEqual([
				['/bytes.bin', false],
				['/empty.txt', false],
				['/one', true],
				['/two', true],
				['/übung', true],
			]);
		});

		it('gives nested folders by their whole path', async () => {
			expect(await entries(get(), '/one')).toEqual([
				['/one/SKILL.md', false],
				['/one/scripts', true],
			]);
			expect(await entries(get(), '/one/scripts')).toEqual([
				['/one/scripts/deep', true],
				['/one/scripts/run.py', false],
			]);
		});

		it('takes and gives unicode names', async () => {
			expect(await entries(get(), '/übung')).toEqual([['/übung/日本語 и', true]]);
			expect(await entries(get(), '/übung/日本語 и')).toEqual([['/übung/日本語 и/😀.md', false]]);
		});

		it('means the same folder by a path with a slash at its end', async () => {
			expect(await entries(get(), '/one/')).toEqual(await entries(get(), '/one'));
		});

		it('gives null for a folder that is not there', async () => {
			expect(await get().list('/absent')).toBeNull();
			expect(await get().list('/one/absent/deeper')).toBeNull();
		});
	});
}

function describeSizes(get: () => SkillBackend): void {
	describe('sizes', () => {
		it('gives the size of files', async () => {
			const list = (await get().list('/')) ?? [];
			const sizes = list
				.filter((entry) => !entry.isDirectory)
				.map(({ path, size }) => [path, size]);
			expect(sizes).toEqual([
				['/bytes.bin', 4],
				['/empty.txt', 0],
			]);
		});
	});
}

function describeRead(get: () => SkillBackend): void {
	describe('read', () => {
		it('gives the exact bytes', async () => {
			const results = await get().read(['/bytes.bin', '/empty.txt', '/übung/日本語 и/😀.md'], 100);
			expect(results.map((one) => 'content' in one && [...one.content])).toEqual([
				[0, 255, 128, 10],
				[],
				[...Buffer.from('unicode')],
			]);
		});

		it('answers every path of a batch in order; a bad one fails no other', async () => {
			const paths = ['/absent', '/one/SKILL.md', '/../x', '/one', '/two/SKILL.md'];
			const results = await get().read(paths, 100);
			expect(results.map((one) => one.path)).toEqual(paths);
			expect(
				results.map((one) => ('error' in one ? one.error : Buffer.from(one.content).toString())),
			).toEqual(['not_found', 'first', 'unsafe_path', 'not_a_file', 'second']);
		});

		it('gives nothing for an empty batch', async () => {
			expect(await get().read([], 100)).toEqual([]);
		});

		it('reads a file of exactly the limit and refuses one byte more', async () => {
			const [exact] = await get().read(['/one/SKILL.md'], 5);
			const [over] = await get().read(['/one/SKILL.md'], 4);
			expect(exact).toHaveProperty('content');
			expect(over).toMatchObject({
				error: 'too_large',
				message: expect.stringContaining('5 bytes'),
			});
		});

		it.each(['/', '/one', '/one/scripts'])('says that the folder %s is not a file', async (dir) => {
			const [result] = await get().read([dir], 100);
			expect(result).toMatchObject({ path: dir, error: 'not_a_file' });
		});

		it('says so when a part of the path is a file', async () => {
			const [result] = await get().read(['/one/SKILL.md/deeper'], 100);
			expect(result).toMatchObject({ error: 'not_found' });
		});

		it('reads hundreds of files in one batch', async () => {
			const paths = Array.from({ length: 300 }, () => '/two/SKILL.md');
			const results = await get().read(paths, 100);
			expect(results.every((one) => 'content' in one)).toBe(true);
		});
	});
}

function describeHostility(get: () => SkillBackend): void {
	describe('hostile paths', () => {
		it.each(HOSTILE_PATHS)('reads nothing at %j', async (path) => {
			const [result] = await get().read([path], 1000);
			expect(result).toMatchObject({ path, error: expect.any(String) });
			expect(result).not.toHaveProperty('content');
		});

		it.each(HOSTILE_PATHS)('lists nothing outside at %j', async (path) => {
			const listed = await get()
				.list(path)
				.catch((error: unknown) => {
					// The one thing that may be thrown: it becomes the diagnostic of its source.
					expect(error).toBeInstanceOf(SkillError);
					return null;
				});
			for (const entry of listed ?? []) expect(entry.path).toMatch(/^\/(?:one|two)\//);
		});

		it('survives what is not even a text', async () => {
			const wrong = [undefined, null, 7, {}] as unknown as string[];
			const results = await get().read(wrong, 1000);
			expect(results.map((one) => 'error' in one && one.error)).toEqual(
				wrong.map(() => 'unsafe_path'),
			);
		});
	});
}

function describeChanges(
	get: () => SkillBackend,
	change: (tree: Tree) => Promise<SkillBackend>,
	settle: () => Promise<void>,
): void {
	describe('versions', () => {
		beforeEach(settle);

		const versionOf = async (backend: SkillBackend, path: string) => {
			const list = await backend.list(path.slice(0, path.lastIndexOf('/')));
			return list?.find((entry) => entry.path === path)?.version;
		};

		it('stay as long as the content does', async () => {
			const before = await versionOf(get(), '/one/SKILL.md');
			expect(before).toEqual(expect.any(String));
			expect(await versionOf(get(), '/one/SKILL.md')).toBe(before);
		});

		it('change with the content, even of the same length, and only for that file', async () => {
			const before = await versionOf(get(), '/one/SKILL.md');
			const other = await versionOf(get(), '/two/SKILL.md');
			const changed = await change({ 'one/SKILL.md': 'FIRST' });
			expect(await versionOf(changed, '/one/SKILL.md')).not.toBe(before);
			expect(await versionOf(changed, '/two/SKILL.md')).toBe(other);
			const [result] = await changed.read(['/one/SKILL.md'], 100);
			expect('content' in result && Buffer.from(result.content).toString()).toBe('FIRST');
		});

		it('come with new files', async () => {
			const changed = await change({ 'three/SKILL.md': 'third' });
			expect(await versionOf(changed, '/three/SKILL.md')).toEqual(expect.any(String));
			expect(await entries(changed, '/three')).toEqual([['/three/SKILL.md', false]]);
		});
	});
}
