import { createDataBackend } from '../../../nodes/core/backends';
import { memoryBackend } from '../support';
import { describeBackendContract } from './contract';

describeBackendContract('data', async (tree) => ({
	backend: memoryBackend(tree),
	change: async (changes) => memoryBackend({ ...tree, ...changes }),
}));

describe('data backend', () => {
	const file = (path: string, content = 'x') => ({ path, content: Buffer.from(content) });

	it('has the same id for the same files in any order, another for others', () => {
		const [a, b] = [file('/a/SKILL.md'), file('/b/SKILL.md')];
		const id = createDataBackend([a, b]).id;
		expect(createDataBackend([b, a]).id).toBe(id);
		expect(createDataBackend([a]).id).not.toBe(id);
		expect(createDataBackend([a, file('/b/SKILL.md', 'y')]).id).not.toBe(id);
	});

	it('is empty, not absent, without files', async () => {
		expect(await createDataBackend([]).list('/')).toEqual([]);
	});

	it('takes the last of two files with one path', async () => {
		const backend = createDataBackend([file('/a', 'first'), file('/a', 'last')]);
		expect(await backend.read(['/a'], 10)).toEqual([{ path: '/a', content: Buffer.from('last') }]);
	});

	it.each(['relative', '/', '', '/a/../b', '\\a', '/a\0b'])(
		'leaves out a file whose path is %j',
		async (path) => {
			const backend = createDataBackend([file(path), file('/good')]);
			expect(await backend.list('/')).toMatchObject([{ path: '/good' }]);
		},
	);

	it('keeps a file that another path takes for a folder', async () => {
		const backend = createDataBackend([file('/a'), file('/a/b')]);
		const results = await backend.read(['/a', '/a/b'], 10);
		expect(results.every((one) => 'content' in one)).toBe(true);
	});

	it.each(['__proto__', 'constructor', 'toString'])('has no file %j of its own', async (name) => {
		const [result] = await createDataBackend([]).read([`/${name}`], 10);
		expect(result).toMatchObject({ error: 'not_found' });
	});
});
