import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

import { ALLOWED_FOLDER } from '../engine/support/environment';
import { skillFolder } from '../engine/support/skills';
import { executeContext } from '../shared/support/contexts';
import { items, libraryWorkflow, named, records, useFreshLibrary } from './support/node';

import type { IDataObject } from 'n8n-workflow';

import { OPERATIONS } from '../../nodes/shared/library/operations';
import { runLibrary } from '../../nodes/shared/library/run';

useFreshLibrary();

const anna = { user: 'anna' };
const skillMd = (name: string) => `---\nname: ${name}\ndescription: Does it.\n---\nBody.\n`;
const byName = { ...anna, skill: { __rl: true, mode: 'name', value: '={{ $json.name }}' } };

/** What an operation needs to work for an item, how many items it makes, and what makes it fail. */
interface Case {
	parameters: IDataObject;
	/** Items for each that worked; one unless told. */
	makes?: number;
	/** Fields of the item in the middle. */
	bad?: IDataObject;
}

const NO_SUCH = { name: 'no-such' };
const NO_FOLDER = { folder: '' };
const NO_DATE = { since: 'soon' };
const many = { ...anna, filters: { changedSince: '={{ $json.since }}' } };

const CASES: Record<string, Case> = {
	'skill:create': {
		parameters: { ...anna, defineBy: 'skillMd', newSkillMd: '={{ $json.text }}' },
		bad: { text: 'no frontmatter' },
	},
	'skill:delete': { parameters: byName, bad: NO_SUCH },
	'skill:generate': { parameters: byName, bad: NO_SUCH },
	'skill:get': { parameters: byName, bad: NO_SUCH },
	'skill:getAll': { parameters: many, makes: 3, bad: NO_DATE },
	'skill:update': {
		parameters: { ...byName, changes: { content: 'New.' } },
		bad: NO_SUCH,
	},
	'skill:validate': { parameters: { ...byName, validateWhat: 'skill' }, bad: NO_SUCH },
	'file:delete': { parameters: { ...byName, path: 'a.md' }, bad: NO_SUCH },
	'file:get': { parameters: { ...byName, path: 'a.md' }, bad: NO_SUCH },
	'file:getAll': { parameters: byName, makes: 2, bad: NO_SUCH },
	'file:put': { parameters: { ...byName, path: 'c.md', text: 'c' }, bad: NO_SUCH },
	'version:compare': { parameters: { ...byName, version: 1 }, bad: NO_SUCH },
	'version:getAll': { parameters: byName, makes: 3, bad: NO_SUCH },
	'version:restore': { parameters: { ...byName, version: 1 }, bad: NO_SUCH },
	'format:content': { parameters: byName, bad: NO_SUCH },
	'format:list': { parameters: many, bad: NO_DATE },
	'format:tree': { parameters: byName, bad: NO_SUCH },
	'sync:toFolder': {
		parameters: { ...anna, folder: '={{ $json.folder }}' },
		makes: 3,
		bad: NO_FOLDER,
	},
	'transfer:export': { parameters: byName, bad: NO_SUCH },
	'transfer:import': {
		parameters: { ...anna, importFrom: 'folder', folder: '={{ $json.from }}' },
		makes: 2,
		bad: { from: '' },
	},
	'usage:getAll': {
		parameters: { ...byName, usageOf: 'one', since: '={{ $json.since }}' },
		makes: 0,
		bad: NO_DATE,
	},
};

it('every operation of the node is in the table', () => {
	expect(Object.keys(CASES).sort()).toEqual(Object.keys(OPERATIONS).sort());
});

describe.each(Object.entries(CASES))('%s', (name, { parameters, makes = 1, bad }) => {
	const [resource, operation] = name.split(':');
	let input: IDataObject[];

	beforeEach(async () => {
		for (const [index, skill] of ['one', 'two', 'three'].entries()) {
			const newSkillMd = skillMd(skill);
			await records('skill', 'create', { ...anna, defineBy: 'skillMd', newSkillMd });
			for (const path of ['a.md', 'b.md']) {
				await records('file', 'put', { ...anna, ...named(skill), path, text: `${index}` });
			}
		}
		const from = skillFolder();
		from.write('four');
		from.write('five');
		input = ['one', 'two', 'three'].map((skill) => ({
			name: skill,
			text: skillMd(`new-${skill}`),
			since: '2020-01-01',
			from: from.path,
			folder: mkdtempSync(join(ALLOWED_FOLDER, 'sync-')),
		}));
	});

	const run = async (onError?: 'continueRegularOutput') =>
		await items(resource, operation, parameters, { items: input, onError });

	it('says of each item which one it was made from', async () => {
		const output = await run();
		const origins = output.map(({ pairedItem }) => pairedItem);
		const expected = [0, 1, 2].flatMap((item) => Array.from({ length: makes }, () => ({ item })));
		expect(origins).toEqual(expected);
	});

	it('does the other items when one fails and the node may go on', async () => {
		Object.assign(input[1], bad);
		const output = await run('continueRegularOutput');
		const failed = output.filter(({ json }) => 'error' in json);
		expect(failed).toMatchObject([
			{ json: { error: expect.any(String), details: { code: expect.any(String) } } },
		]);
		expect(failed[0].pairedItem).toEqual({ item: 1 });
		const origins = output.map(({ pairedItem }) => (pairedItem as { item: number }).item);
		const done = (item: number) => Array.from({ length: makes }, () => item);
		expect(origins).toEqual([...done(0), 1, ...done(2)]);
	});

	it('stops at the item that fails, and names it', async () => {
		Object.assign(input[1], bad);
		await expect(run()).rejects.toMatchObject({
			name: 'NodeOperationError',
			context: { itemIndex: 1 },
		});
	});
});

it.each([
	['transfer', 'import', 'Library: imported 2 of 2 skills'],
	['sync', 'toFolder', 'Library: synced 2 of 2 skills'],
])('%s:%s says in the log how far it is', async (resource, operation, line) => {
	const from = skillFolder();
	from.write('one');
	from.write('two');
	const imported = { ...anna, importFrom: 'folder', folder: from.path };
	if (operation === 'toFolder') await records('transfer', 'import', imported);
	const folder = mkdtempSync(join(ALLOWED_FOLDER, 'sync-'));
	const parameters = operation === 'toFolder' ? { ...anna, folder } : imported;
	const workflow = libraryWorkflow({ resource, operation, ...parameters });
	const context = executeContext(workflow, { node: 'Library' });
	const info = jest.spyOn(context.logger, 'info').mockReturnValue(undefined);
	await runLibrary(context);
	expect(info.mock.calls).toEqual([[line]]);
	info.mockRestore();
});
