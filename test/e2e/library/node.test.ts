import { openBench, type Bench } from '../support/bench';
import { library, named, newSkill, runLibrary } from '../support/library';
import { createSkillFolder } from '../support/skills';

let bench: Bench;
const user = 'anna';

beforeAll(async () => {
	bench = await openBench();
});

afterAll(async () => {
	await bench.close();
});

it('a skill is created, found, changed, compared and restored', async () => {
	await library(bench, 'skill', 'create', { user, ...newSkill('e2e-versions', 'First text.') });
	const skill = { user, ...named('e2e-versions') };
	await library(bench, 'skill', 'update', { ...skill, changes: { content: 'Second text.' } });
	const [found] = await library(bench, 'skill', 'getAll', { user, search: 'second' });
	expect(found.json).toMatchObject({ name: 'e2e-versions', version: 2 });
	const [difference] = await library(bench, 'version', 'compare', { ...skill, version: 1 });
	expect(JSON.stringify(difference.json)).toContain('Second text.');
	await library(bench, 'version', 'restore', { ...skill, version: 1 });
	const [restored] = await library(bench, 'skill', 'get', skill);
	expect(restored.json).toMatchObject({ content: 'First text.', version: 3 });
});

it('a file is added, listed and read', async () => {
	await library(bench, 'skill', 'create', { user, ...newSkill('e2e-files', 'Read the file.') });
	const skill = { user, ...named('e2e-files') };
	await library(bench, 'file', 'put', { ...skill, path: 'references/a.md', text: 'Alpha.' });
	const [listed] = await library(bench, 'file', 'getAll', skill);
	const [file] = await library(bench, 'file', 'get', { ...skill, path: 'references/a.md' });
	expect(listed.json).toMatchObject({ path: 'references/a.md', size: 6 });
	expect(file.json).toMatchObject({ content: 'Alpha.' });
});

it('skills come from a folder, and say what became of each', async () => {
	const folder = createSkillFolder();
	folder.write('e2e-folder', 'From a folder.', 'Folder text.', { 'scripts/a.js': '1' });
	folder.write('e2e-broken', '', 'No description.');
	const parameters = { user, importFrom: 'folder', folder: folder.path };
	const first = await library(bench, 'transfer', 'import', parameters);
	const second = await library(bench, 'transfer', 'import', parameters);
	const outcome = (items: typeof first) =>
		Object.fromEntries(items.map(({ json }) => [json.name, json.action]));
	expect(outcome(first)).toEqual({ 'e2e-folder': 'created', 'e2e-broken': 'refused' });
	expect(outcome(second)).toEqual({ 'e2e-folder': 'unchanged', 'e2e-broken': 'refused' });
});

it('skills come from a connected Skills Source', async () => {
	const skill = [{ name: 'e2e-source', description: 'Typed in.', instructions: 'Typed text.' }];
	const source = { backend: 'data', dataFrom: 'form', skills: { skill } };
	const parameters = { user, importFrom: 'source' };
	const [made] = await library(bench, 'transfer', 'import', parameters, { source });
	expect(made.json).toMatchObject({ name: 'e2e-source', action: 'created' });
	const [stored] = await library(bench, 'skill', 'get', { user, ...named('e2e-source') });
	expect(stored.json.content).toContain('Typed text.');
});

it('skills go into a .skill file, and come back out of it for somebody else', async () => {
	await library(bench, 'skill', 'create', { user, ...newSkill('e2e-packed', 'Packed text.') });
	const { items, error } = await runLibrary(bench, [
		{ parameters: { resource: 'transfer', operation: 'export', user, ...named('e2e-packed') } },
		{
			parameters: {
				resource: 'transfer',
				operation: 'import',
				user: 'boris',
				importFrom: 'archive',
			},
		},
	]);
	expect(error).toBeUndefined();
	expect(items).toMatchObject([{ json: { name: 'e2e-packed', action: 'created' } }]);
	const mine = { user: 'boris', ...named('e2e-packed') };
	const [stored] = await library(bench, 'skill', 'get', mine);
	expect(stored.json).toMatchObject({ ownerId: 'boris', content: 'Packed text.' });
});

it('what goes wrong says what to do', async () => {
	const node = { parameters: { resource: 'skill', operation: 'get', user, ...named('nope') } };
	const { execution, error } = await runLibrary(bench, [node]);
	expect(error).toContain('no such skill');
	const run = execution.data.resultData.runData['Library 1'][0];
	expect(run.error?.description).toContain('Check the id or name');
});
