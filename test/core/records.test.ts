import { createDataBackend } from '../../nodes/core/backends';
import { MAX_DATA_BYTES, MAX_DATA_FILES } from '../../nodes/core/limits';
import { filesFromData } from '../../nodes/core/records';
import { clearRegistryCache } from '../../nodes/core/registry';
import { setOf, skillText } from './support';

beforeEach(clearRegistryCache);

const pathsOf = (data: unknown) => filesFromData(data).files.map((file) => file.path);
const problemsOf = (data: unknown) => filesFromData(data).diagnostics.map((one) => one.message);
const textOf = (data: unknown, path: string) => {
	const file = filesFromData(data).files.find((one) => one.path === path);
	return file && Buffer.from(file.content).toString();
};

async function skillsOf(data: unknown) {
	const { files, diagnostics } = filesFromData(data);
	const set = setOf(createDataBackend(files), { diagnostics });
	const snapshot = await set.refresh();
	const skills = await Promise.all(
		snapshot.skills.map(async (skill) => {
			const document = await set.load(skill);
			const files = (await set.resources(skill)).map((file) => file.path);
			const body = 'body' in document ? document.body.trim() : document.problem;
			return { name: skill.name, description: skill.description, body, files };
		}),
	);
	return { skills, diagnostics: snapshot.diagnostics };
}

const RECORD = { name: 'pdf', description: 'Reads PDF: all of it', content: 'Do *this*.' };
const SKILL = { name: 'pdf', description: 'Reads PDF: all of it', body: 'Do *this*.', files: [] };
const FILE = { path: 'pdf/SKILL.md', content: skillText('pdf', 'Reads PDF', 'Do this.') };

describe('the forms of the data', () => {
	it.each([
		['records', [RECORD]],
		['n8n items', [{ json: RECORD, pairedItem: { item: 0 } }]],
		['one record', RECORD],
		['one n8n item', { json: RECORD }],
		['JSON text of a list', JSON.stringify([RECORD])],
		['JSON text of one', JSON.stringify(RECORD)],
		['JSON text in JSON text', JSON.stringify(JSON.stringify([RECORD]))],
		[
			'"instructions" for "content"',
			[{ ...RECORD, content: undefined, instructions: 'Do *this*.' }],
		],
		['"body" for "content"', [{ ...RECORD, content: null, body: 'Do *this*.' }]],
		['bytes', [{ ...RECORD, content: Buffer.from('Do *this*.') }]],
		['base64', [{ ...RECORD, content: 'RG8gKnRoaXMqLg==', encoding: 'base64' }]],
		['columns that are not used', [{ ...RECORD, path: null, id: 7, files: null, license: null }]],
		['a column "path" of its own', [{ ...RECORD, path: '/somewhere' }]],
	])('a skill comes from %s', async (_, data) => {
		const { skills, diagnostics } = await skillsOf(data);
		expect(skills).toEqual([SKILL]);
		expect(diagnostics).toEqual([]);
	});

	it.each([
		['files', [FILE]],
		['n8n items', [{ json: FILE }]],
		['an absolute path', [{ ...FILE, path: '/pdf/SKILL.md' }]],
		['empty columns beside', [{ ...FILE, name: null, description: null }]],
		['empty texts beside', [{ ...FILE, name: '', description: '' }]],
	])('a skill comes from %s', async (_, data) => {
		expect((await skillsOf(data)).skills).toMatchObject([{ name: 'pdf', body: 'Do this.' }]);
	});

	it('files and records mix', async () => {
		const { skills } = await skillsOf([FILE, { ...RECORD, name: 'git' }]);
		expect(skills.map((skill) => skill.name)).toEqual(['git', 'pdf']);
	});

	it.each([[undefined], [null], [''], [[]]])('%j holds nothing, which is no error', (data) => {
		expect(filesFromData(data)).toEqual({ files: [], diagnostics: [] });
	});
});

describe('a whole SKILL.md as the content of a record', () => {
	it('is taken as it is when the record has no description', async () => {
		const content = '---\nname: other\ndescription: own\nlicense: MIT\n---\nbody';
		expect(textOf([{ name: 'pdf', content }], '/pdf/SKILL.md')).toBe(content);
	});

	it('gives only its body when the record has a description', async () => {
		const [skill] = (await skillsOf([{ ...RECORD, content: FILE.content }])).skills;
		expect(skill).toEqual({ ...SKILL, body: 'Do this.' });
	});
});

describe('a record', () => {
	it('without content is a skill without instructions', async () => {
		const [skill] = (await skillsOf([{ name: 'pdf', description: 'Reads' }])).skills;
		expect(skill).toMatchObject({ name: 'pdf', body: '' });
	});

	it('without description is reported as such', async () => {
		const { skills, diagnostics } = await skillsOf([{ name: 'pdf', content: 'text' }]);
		expect(skills).toEqual([]);
		expect(diagnostics).toMatchObject([{ code: 'description-missing', path: '/pdf/SKILL.md' }]);
	});

	it.each([
		['a/b', '/a-b/SKILL.md'],
		['..', '/skill/SKILL.md'],
		['.hidden', '/hidden/SKILL.md'],
		['c:\\x', '/c-x/SKILL.md'],
		['  pdf  ', '/pdf/SKILL.md'],
		['x'.repeat(2000), '/skill/SKILL.md'],
	])('named %j has one folder', (name, path) => {
		expect(pathsOf([{ ...RECORD, name }])).toEqual([path]);
	});

	it.each([
		['a list', [{ path: 'references/a.md', content: 'A' }]],
		['a map', { 'references/a.md': 'A' }],
		['JSON text', JSON.stringify([{ path: 'references/a.md', content: 'A' }])],
		['n8n items', JSON.stringify([{ json: { path: 'references/a.md', content: 'A' } }])],
	])('has files from %s', async (_, files) => {
		const [skill] = (await skillsOf([{ ...RECORD, files }])).skills;
		expect(skill.files).toEqual(['references/a.md']);
		expect(textOf([{ ...RECORD, files }], '/pdf/references/a.md')).toBe('A');
	});

	it.each([[undefined], [null], [''], ['  '], [7], [[]], [{}]])('has no files from %j', (files) => {
		expect(pathsOf([{ ...RECORD, files }])).toEqual(['/pdf/SKILL.md']);
		expect(problemsOf([{ ...RECORD, files }])).toEqual([]);
	});
});

describe('what cannot be used is reported and harms nothing else', () => {
	it.each([
		['a number', 7],
		['no JSON', '{oops'],
		['JSON of a number', '7'],
	])('data that is %s', (_, data) => {
		expect(filesFromData(data)).toMatchObject({
			files: [],
			diagnostics: [{ code: 'data-invalid', message: expect.stringContaining('not a list') }],
		});
	});

	it.each([
		['no object', 'text', 'no text in "content"'],
		['null', null, 'no text in "content"'],
		['a list', [RECORD], 'no text in "content"'],
		['without anything', {}, 'no text in "content"'],
		['a content that is no text', { path: 'a', content: 7 }, 'no text in "content"'],
		['without a name', { content: 'x' }, 'has no name'],
		['a name of spaces', { name: '  ', description: 'd', content: 'x' }, 'has no name'],
		['a name that is no text', { name: 7, content: 'x' }, 'has no name'],
		['a path with ".."', { path: '../x', content: 'x' }, '"../x", which is not allowed'],
		['a path with a backslash', { path: 'a\\b', content: 'x' }, 'not allowed'],
		['a path with a drive', { path: 'C:/x', content: 'x' }, 'not allowed'],
		['an empty path', { path: '/', content: 'x' }, 'not allowed'],
	])('an item that is %s', async (_, item, problem) => {
		const data = [RECORD, item, { ...RECORD, name: 'git' }];
		const { skills, diagnostics } = await skillsOf(data);
		expect(skills.map((skill) => skill.name)).toEqual(['git', 'pdf']);
		expect(diagnostics).toMatchObject([
			{ code: 'data-invalid', message: expect.stringContaining(problem) },
		]);
		expect(diagnostics[0].message).toMatch(/^Item 2 /);
	});

	it.each([
		['without a path', [{ content: 'x' }]],
		['without content', [{ path: 'a.md' }]],
		['as plain text', 'a.md'],
		['in a map of numbers', { 'a.md': 7 }],
	])('a file %s', (_, files) => {
		const data = [{ ...RECORD, files }];
		expect(pathsOf(data)).toEqual(['/pdf/SKILL.md']);
		expect(problemsOf(data)).toEqual([
			expect.stringContaining('Item 1 ("pdf") has a file without'),
		]);
	});

	it('a file that leaves its skill', () => {
		const data = [{ ...RECORD, files: { '../other/SKILL.md': 'x', 'ok.md': 'x' } }];
		expect(pathsOf(data)).toEqual(['/pdf/SKILL.md', '/pdf/ok.md']);
		expect(problemsOf(data)).toEqual([expect.stringContaining('not allowed')]);
	});

	it('two items for one path: the last wins, and it is said', async () => {
		const data = [RECORD, { ...RECORD, description: 'second' }];
		const { skills, diagnostics } = await skillsOf(data);
		expect(skills).toMatchObject([{ description: 'second' }]);
		expect(diagnostics).toMatchObject([{ code: 'skill-duplicate', path: '/pdf/SKILL.md' }]);
	});
});

describe('limits', () => {
	it('on the number of files: reported once', () => {
		const data = Array.from({ length: MAX_DATA_FILES + 20 }, (_, index) => ({
			path: `s${index}/SKILL.md`,
			content: 'x',
		}));
		expect(pathsOf(data)).toHaveLength(MAX_DATA_FILES);
		expect(problemsOf(data)).toEqual([expect.stringContaining(`"/s${MAX_DATA_FILES}/SKILL.md"`)]);
	});

	it('on the bytes', () => {
		const data = [
			{ path: 'a/SKILL.md', content: 'x' },
			{ path: 'b/SKILL.md', content: Buffer.alloc(MAX_DATA_BYTES) },
			{ path: 'c/SKILL.md', content: 'x' },
		];
		expect(pathsOf(data)).toEqual(['/a/SKILL.md']);
		expect(problemsOf(data)).toHaveLength(1);
	});
});
