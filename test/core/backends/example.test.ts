import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Tree } from '../support';
import { describeBackendContract } from './contract';
import { createBucketBackend, type ObjectStore } from './example';

const ROOT = join(__dirname, '../../..');
const MAX_LINES = 50;

/** An object store in memory. */
function storeOf(tree: Tree): ObjectStore {
	const all = Object.entries(tree).map(([key, content]) => {
		const bytes = Buffer.from(content as string);
		return { key, bytes, size: bytes.length, etag: bytes.toString('hex') };
	});
	return {
		bucket: 'test',
		objects: async (prefix) => all.filter(({ key }) => key.startsWith(prefix)),
		get: async (wanted) => all.find(({ key }) => key === wanted)?.bytes as Buffer,
	};
}

describeBackendContract('example', async (tree) => ({
	backend: createBucketBackend(storeOf(tree)),
	change: async (changes) => createBucketBackend(storeOf({ ...tree, ...changes })),
}));

describe('"write your own in fifty lines"', () => {
	const code = readFileSync(join(__dirname, 'example.ts'), 'utf8').trimEnd();
	const page = readFileSync(join(ROOT, 'docs/backends.md'), 'utf8');

	it('is fifty lines at most', () => {
		expect(code.split('\n').length).toBeLessThanOrEqual(MAX_LINES);
	});

	it('is what docs/backends.md shows', () => {
		const shown = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
		const plain = (text: string) => text.replaceAll('../../../nodes/core/', '../').trim();
		expect(plain(shown)).toBe(plain(code));
	});
});
