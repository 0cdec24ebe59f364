import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { openBench, type Bench } from '../support/bench';
import type { FlowAnswer } from '../support/flow';
import { library, named, newSkill, runLibrary, startLibrary } from '../support/library';
import { createSkillFolder, type SkillFolder } from '../support/skills';
import { readWorld } from '../support/world';

const user = 'sync-anna';

let bench: Bench;
let folder: SkillFolder;

beforeAll(async () => {
	bench = await openBench();
	for (const name of ['sync-one', 'sync-two', 'sync-changing']) {
		await library(bench, 'skill', 'create', { user, ...newSkill(name, `Text of ${name}.`) });
	}
	const guide = { path: 'references/guide.md', text: 'The guide.' };
	await library(bench, 'file', 'put', { user, ...named('sync-one'), ...guide });
	const secret = newSkill('sync-secret', 'Only for Boris.');
	await library(bench, 'skill', 'create', { user: 'sync-boris', ...secret });
});

afterAll(async () => {
	await bench.close();
});

beforeEach(() => {
	folder = createSkillFolder();
});

const read = (path: string) => readFileSync(join(folder.path, path), 'utf8');
const syncTo = (path: string) => ({
	resource: 'sync',
	operation: 'toFolder',
	user,
	folder: path,
	syncSkills: '={{ $json.body.skills }}',
});
const outcome = ({ items }: FlowAnswer) =>
	Object.fromEntries(items.map(({ name, action }) => [name, action]));

/** Gives back a node that syncs the named skills, and that is the same one each time. */
async function startSync() {
	const flow = await startLibrary(bench, [{ parameters: syncTo(folder.path) }]);
	return async (...skills: string[]) => outcome(await flow.ask({ skills }));
}

it('writes skills as folders with their files, and says "written"', async () => {
	const sync = await startSync();
	expect(await sync('sync-one', 'sync-two')).toEqual({
		'sync-one': 'written',
		'sync-two': 'written',
	});
	const { skillDescription } = newSkill('sync-one', '');
	expect(read('sync-one/SKILL.md')).toBe(
		`---\nname: sync-one\ndescription: ${skillDescription}\n---\nText of sync-one.`,
	);
	expect(read('sync-one/references/guide.md')).toBe('The guide.');
	expect(read('sync-two/SKILL.md')).toContain('Text of sync-two.');
});

it('writes again what has changed, and says "unchanged" of the others', async () => {
	const sync = await startSync();
	await sync('sync-one', 'sync-changing');
	const changing = { user, ...named('sync-changing') };
	await library(bench, 'skill', 'update', { ...changing, changes: { content: 'New text.' } });
	expect(await sync('sync-one', 'sync-changing')).toEqual({
		'sync-one': 'unchanged',
		'sync-changing': 'written',
	});
	expect(read('sync-changing/SKILL.md')).toContain('New text.');
});

it('takes away what is no longer wanted, and says "removed"', async () => {
	const sync = await startSync();
	await sync('sync-one', 'sync-two');
	expect(await sync('sync-one')).toEqual({ 'sync-one': 'unchanged', 'sync-two': 'removed' });
	expect(existsSync(join(folder.path, 'sync-two'))).toBe(false);
	expect(read('sync-one/references/guide.md')).toBe('The guide.');
});

it('says the same of a skill of somebody else as of one that is not there', async () => {
	const sync = await startSync();
	expect(await sync('sync-secret', 'sync-nowhere', 'sync-one')).toEqual({
		'sync-secret': 'not found or access denied',
		'sync-nowhere': 'not found or access denied',
		'sync-one': 'written',
	});
	expect(existsSync(join(folder.path, 'sync-secret'))).toBe(false);
});

it('leaves alone what was in the folder before', async () => {
	folder.write('by-hand', 'Written by hand.', 'Hand text.', { 'notes.txt': 'Keep me.' });
	const before = read('by-hand/SKILL.md');
	const sync = await startSync();
	await sync('sync-one', 'sync-two');
	await sync('sync-one');
	expect([read('by-hand/SKILL.md'), read('by-hand/notes.txt')]).toEqual([before, 'Keep me.']);
});

it('refuses a folder that n8n does not allow, says what to do, and makes nothing there', async () => {
	const outside = join(readWorld().home, 'elsewhere');
	const body = { skills: ['sync-one'] };
	const { execution, error } = await runLibrary(bench, [{ parameters: syncTo(outside) }], body);
	expect(error).toContain(`n8n does not allow nodes to write to ${outside}`);
	const [run] = execution.data.resultData.runData['Library 1'];
	expect(run.error?.description).toContain('N8N_RESTRICT_FILE_ACCESS_TO');
	expect(existsSync(outside)).toBe(false);
});
