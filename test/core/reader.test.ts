import { MAX_RESOURCE_FILE_BYTES, READ_BYTES_PER_CALL } from '../../nodes/core/limits';
import { clearRegistryCache } from '../../nodes/core/registry';
import type { ToolContext } from '../../nodes/core/tools';
import {
	answer,
	diskBackend,
	memoryBackend,
	removeTempTrees,
	setOf,
	skillText,
	skillTree,
	tempTree,
	toolContext,
	type Tree,
} from './support';

beforeEach(clearRegistryCache);
afterAll(removeTempTrees);

const withFiles = (files: Tree, more: Partial<ToolContext> = {}) => {
	const tree = Object.entries(files).map(([path, content]) => [`a/${path}`, content]);
	return toolContext(
		setOf(memoryBackend({ ...skillTree({ a: 'A' }), ...Object.fromEntries(tree) })),
		more,
	);
};

async function read(context: ToolContext, paths: string | string[], more: object = {}) {
	return await answer(context, 'read_skill_file', { skill_name: 'a', paths, ...more });
}

const bodyOf = (text: string) =>
	/^<skill_content[^>]*>\n([\s\S]*?)\n<\/skill_content>/.exec(text)?.[1];

describe('read_skill_file', () => {
	it('gives the text of a file in a tag with its path', async () => {
		expect(await read(withFiles({ 'references/x.md': 'Hello\n' }), 'references/x.md')).toBe(
			'<skill_content file="references/x.md">\nHello\n\n</skill_content>',
		);
	});

	it('needs the skill to be visible, not loaded', async () => {
		expect(await read(withFiles({}), 'SKILL.md')).toContain('name: a');
		const text = await answer(withFiles({}), 'read_skill_file', { skill_name: 'b', paths: ['x'] });
		expect(text).toBe("Error: Skill 'b' not found. Available skills: a.");
	});

	it('cuts a limit above the most of one call down to it', async () => {
		const text = await read(withFiles({ 'x.md': 'y'.repeat(READ_BYTES_PER_CALL + 1) }), 'x.md', {
			limit: READ_BYTES_PER_CALL * 2,
		});
		expect(text).toContain(`bytes="0-${READ_BYTES_PER_CALL} of ${READ_BYTES_PER_CALL + 1}"`);
	});

	it('takes several paths; one that is wrong harms no other', async () => {
		const context = withFiles({ 'x.md': 'X', 'scripts/y.py': 'Y' });
		const text = await read(context, [
			'x.md',
			'../../secret',
			'nope.md',
			'scripts',
			'./scripts/y.py',
		]);
		expect(text.split('\n\n')).toEqual([
			'<skill_content file="x.md">\nX\n</skill_content>',
			expect.stringMatching(/^Error: The path '\.\.\/\.\.\/secret' is not allowed/),
			"Error: The skill has no file 'nope.md'. Its files: scripts/y.py, x.md.",
			"Error: Failed to read 'scripts': it is not a file",
			'<skill_content file="scripts/y.py">\nY\n</skill_content>',
		]);
	});

	it.each([
		'../b/SKILL.md',
		'/etc/passwd',
		'..',
		'x/../../b',
		'\\x',
		'C:/x',
		'x\0',
		'a'.repeat(2000),
	])('refuses the path %j', async (path) => {
		expect(await read(withFiles({ 'x.md': 'X' }), path)).toMatch(
			/^Error: The path .* is not allowed/,
		);
	});

	it('takes a path that begins with the folder of the skill', async () => {
		const root = await tempTree({ ...skillTree({ a: 'A' }), 'a/x.md': 'X', 'b.md': 'SECRET' });
		const context = toolContext(setOf(diskBackend(root)));
		expect(bodyOf(await read(context, `${root}/a/x.md`))).toBe('X');
		expect(await read(context, `${root}/a/../b.md`)).toContain('not allowed');
		expect(await read(context, `${root}/b.md`)).toContain('not allowed');
	});

	it('takes it for a skill at the root of its source too', async () => {
		const backend = memoryBackend({ 'SKILL.md': skillText('a'), 'x.md': 'X' });
		expect(bodyOf(await read(toolContext(setOf(backend)), '/x.md'))).toBe('X');
	});

	it('follows no link out of the source', async () => {
		const root = await tempTree({
			'secret.md': 'SECRET',
			'skills/a/SKILL.md': skillText('a'),
			'skills/a/x.md': '-> ../../secret.md',
		});
		const sources = [{ path: '/skills', label: 'S' }];
		const context = toolContext(setOf(diskBackend(root, ['/skills']), { sources }));
		const text = await read(context, 'x.md');
		expect(text).toMatch(/^Error: Failed to read 'x\.md'/);
		expect(text).not.toContain('SECRET');
	});

	it('text cannot break out of its tag', async () => {
		const text = await read(withFiles({ 'x.md': 'a</skill_content>\u202eb' }), 'x.md');
		expect(bodyOf(text)).toBe('a&lt;/skill_content>b');
	});

	it('a hostile file name stays inside its attribute', async () => {
		const path = 'x"><b>\u202e.md';
		const text = await read(withFiles({ [path]: 'X' }), path);
		expect(text.split('\n')[0]).toBe('<skill_content file="x&quot;&gt;&lt;b&gt;.md">');
	});

	it('gives an empty file as such', async () => {
		expect(await read(withFiles({ 'x.md': '' }), 'x.md')).toBe(
			'<skill_content file="x.md">\n\n</skill_content>',
		);
	});
});

describe('long files', () => {
	it('come in parts of 64 KiB, each with how to go on', async () => {
		const content = 'a'.repeat(READ_BYTES_PER_CALL) + 'rest';
		const context = withFiles({ 'x.md': content }, { prefix: 'p_' });
		const first = await read(context, 'x.md');
		expect(bodyOf(first)).toHaveLength(READ_BYTES_PER_CALL);
		expect(first).toContain(`bytes="0-65536 of 65540"`);
		expect(first).toContain(
			'(4 bytes left. Go on with `p_read_skill_file`, paths ["x.md"], offset 65536.)',
		);
		const second = await read(context, 'x.md', { offset: 65536 });
		expect(bodyOf(second)).toBe('rest');
		expect(second).not.toContain('left');
	});

	it('are read in full by going on, whatever the limit cuts through', async () => {
		const content = 'aé日😀'.repeat(20);
		const context = withFiles({ 'x.md': content });
		for (const limit of [1, 2, 3, 5, 7, 64]) {
			let text = '';
			let offset: number | undefined = 0;
			while (offset !== undefined) {
				const part: string = await read(context, 'x.md', { offset, limit });
				text += bodyOf(part);
				const next: string | undefined = /offset (\d+)\.\)$/.exec(part)?.[1];
				offset = next === undefined ? undefined : Number(next);
			}
			expect(text).toBe(content);
		}
	});

	it('an offset inside a character goes back to its start', async () => {
		expect(bodyOf(await read(withFiles({ 'x.md': '日本' }), 'x.md', { offset: 4 }))).toBe('本');
	});

	it('an offset past the end gives nothing more', async () => {
		const text = await read(withFiles({ 'x.md': 'abc' }), 'x.md', { offset: 100 });
		expect(text).toBe('<skill_content file="x.md" bytes="3-3 of 3">\n\n</skill_content>');
	});

	it('several files share the limit; what got no room says how to get it', async () => {
		const context = withFiles({ 'x.md': 'xxxx', 'y.md': 'yyyy', 'z.md': 'zzzz' });
		const text = await read(context, ['x.md', 'y.md', 'z.md'], { limit: 6 });
		expect(text).toContain('xxxx');
		expect(text).toContain('bytes="0-2 of 4">\nyy\n');
		expect(text).toContain('paths ["y.md"], offset 2');
		expect(text).toContain('bytes="0-0 of 4">\n\n');
		expect(text).toContain('paths ["z.md"], offset 0');
	});
});

describe('what is not text', () => {
	it.each([
		['PNG image', [0x89, 0x50, 0x4e, 0x47, 0]],
		['JPEG image', [0xff, 0xd8, 0xff, 0xe0]],
		['GIF image', [0x47, 0x49, 0x46, 0x38, 0]],
		['PDF document', [0x25, 0x50, 0x44, 0x46, 0x2d, 0xff]],
		['ZIP archive or Office document', [0x50, 0x4b, 0x03, 0x04, 0]],
		['gzip archive', [0x1f, 0x8b, 0]],
		['unknown type', [0x61, 0xff]],
		['unknown type', [0x61, 0, 0x62]],
	])('is described, not dumped: %s', async (kind, bytes) => {
		const context = withFiles({ 'x.bin': Uint8Array.from(bytes), 'y.md': 'text' });
		const text = await read(context, ['x.bin', 'y.md']);
		expect(text).toContain(
			`The file 'x.bin' is binary (${kind}, ${bytes.length} bytes); it cannot be shown as text.`,
		);
		expect(text).toContain('text\n</skill_content>');
	});

	it('one that is too large is said to be', async () => {
		const context = withFiles({ 'x.bin': Buffer.alloc(MAX_RESOURCE_FILE_BYTES + 1) });
		expect(await read(context, 'x.bin')).toBe(
			"Error: The file 'x.bin' exceeds maximum size (10,485,760 bytes).",
		);
	});
});
