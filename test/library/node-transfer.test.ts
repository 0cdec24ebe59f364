import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { rawZip, type RawZipEntry } from '../core/archives';
import { ALLOWED_FOLDER } from '../engine/support/environment';
import { skillFolder } from '../engine/support/skills';
import { executeContext } from '../shared/support/contexts';
import { items, libraryWorkflow, named, records, useFreshLibrary } from './support/node';

import { runLibrary } from '../../nodes/shared/library/run';
import { progressOf } from '../../nodes/shared/library/progress';

useFreshLibrary();

const anna = { user: 'anna' };
const create = async (skillName: string, more = {}) =>
	await records('skill', 'create', {
		...anna,
		skillName,
		skillDescription: `Does ${skillName}.`,
		instructions: 'First line.\nSecond line.\n',
		...more,
	});

describe('Import', () => {
	const fromFolder = (folder: string, more = {}) =>
		records('transfer', 'import', { ...anna, importFrom: 'folder', folder, ...more });

	it('from a folder says what became of each skill', async () => {
		const folder = skillFolder();
		folder.write('alpha', 'Text.', { 'scripts/a.js': '1' });
		expect(await fromFolder(folder.path)).toMatchObject([
			{ name: 'alpha', ok: true, action: 'created', id: expect.any(String), version: 1 },
		]);
		expect(await fromFolder(folder.path)).toMatchObject([{ action: 'unchanged' }]);
		folder.write('alpha', 'New text.');
		expect(await fromFolder(folder.path)).toMatchObject([{ action: 'updated', version: 2 }]);
	});

	it('makes them public or the system’s when told', async () => {
		const folder = skillFolder();
		folder.write('alpha');
		await fromFolder(folder.path, { importVisibility: 'public' });
		await fromFolder(folder.path, { importVisibility: 'system', actAsAdministrator: true });
		const skills = await records('skill', 'getAll', { user: 'boris' });
		expect(skills.map(({ ownerId }) => ownerId).sort()).toEqual(['anna', null]);
	});

	it('refuses system skills of whoever is no administrator, and says so', async () => {
		const folder = skillFolder();
		folder.write('alpha');
		const [result] = await fromFolder(folder.path, { importVisibility: 'system' });
		expect(result).toMatchObject({ ok: false, action: 'refused', reason: expect.any(String) });
	});

	it('refuses a folder that n8n may not read, or none', async () => {
		const [result] = await fromFolder('/etc');
		expect(result).toMatchObject({ ok: false, reason: expect.stringContaining('N8N_RESTRICT') });
		await expect(fromFolder(' ')).rejects.toThrow('No folder is named');
	});

	it('from an archive that holds a bomb, or a name that leaves it, takes nothing and says why', async () => {
		const skillMd = (name: string) => `---\nname: ${name}\ndescription: d\n---\nText.\n`;
		const parameters = { ...anna, importFrom: 'archive', binaryField: 'data' };
		const bring = async (entries: RawZipEntry[]) => {
			const data = rawZip(entries).toString('base64');
			const binary = { data: { data, mimeType: 'application/zip', fileName: 'a.zip' } };
			return await records('transfer', 'import', parameters, { binary });
		};
		const leaving = await bring([
			{ name: 'alpha/SKILL.md', content: skillMd('alpha') },
			{ name: '../evil/SKILL.md', content: skillMd('evil') },
		]);
		const evil = expect.stringContaining('its entry "../evil/SKILL.md" has ".."');
		expect(leaving).toMatchObject([{ name: 'a.zip', action: 'refused', reason: evil }]);
		const bomb = await bring([
			{ name: 'beta/SKILL.md', content: skillMd('beta') },
			{ name: 'beta/bomb', content: Buffer.alloc(20_000_000) },
		]);
		const tooMuch = expect.stringMatching(/"beta\/bomb".*200 times its size/);
		expect(bomb).toMatchObject([{ name: 'a.zip', action: 'refused', reason: tooMuch }]);
		expect(await records('skill', 'getAll', anna)).toEqual([]);
	});

	it('from a connected Skills Source, as a tool never', async () => {
		const parameters = { resource: 'transfer', operation: 'import', importFrom: 'source', ...anna };
		const workflow = libraryWorkflow(parameters);
		const position: [number, number] = [0, 0];
		const skills = { skill: [{ name: 'alpha', description: 'Typed.', instructions: 'Text.' }] };
		workflow.nodes.push({
			id: 's',
			name: 'Source',
			type: 'n8n-nodes-agent-skills.skillsSource',
			typeVersion: 1,
			position,
			parameters: { backend: 'data', dataFrom: 'form', skills },
		});
		workflow.connections.Source = {
			ai_document: [[{ node: 'Library', type: 'ai_document', index: 0 }]],
		};
		const [[item]] = await runLibrary(executeContext(workflow, { node: 'Library' }));
		expect(item.json).toMatchObject({ name: 'alpha', action: 'created' });
		const [answer] = await records('transfer', 'import', parameters, { asTool: true });
		expect(answer.problem).toContain('no input for a Skills Source');
	});
});

describe('Export', () => {
	it('of one skill is a .skill file that somebody else can import', async () => {
		await create('alpha');
		const [item] = await items('transfer', 'export', { ...anna, ...named('alpha') });
		expect(item.json).toMatchObject({ fileName: 'alpha.skill', skills: ['alpha'] });
		const parameters = { user: 'boris', importFrom: 'archive', binaryField: 'data' };
		const results = await records('transfer', 'import', parameters, { binary: item.binary });
		expect(results).toMatchObject([{ name: 'alpha', action: 'created' }]);
	});

	it('of one item is not imported for another that has none', async () => {
		await create('alpha');
		const [item] = await items('transfer', 'export', { ...anna, ...named('alpha') });
		const results = await records(
			'transfer',
			'import',
			{ user: '={{ $json.user }}', importFrom: 'archive', binaryField: 'data' },
			{
				items: [{ user: 'boris' }, { user: 'clara' }],
				binary: [item.binary, undefined],
				onError: 'continueRegularOutput',
			},
		);
		const error = expect.stringContaining('no binary field "data"');
		expect(results).toMatchObject([{ action: 'created' }, { error }]);
		expect(await records('skill', 'getAll', { user: 'clara' })).toEqual([]);
	});

	it('of many is a .zip file with those that the filters let through', async () => {
		await create('alpha', { tags: 'x' });
		await create('beta');
		const many = { ...anna, exportWhat: 'many', outputField: 'zip' };
		const [item] = await items('transfer', 'export', { ...many, filters: { tags: 'x' } });
		expect(item.json).toMatchObject({ fileName: 'skills.zip', skills: ['alpha'] });
		expect(item.binary?.zip.mimeType).toBe('application/zip');
		const none = items('transfer', 'export', { ...many, filters: { tags: 'y' } });
		await expect(none).rejects.toThrow('no skill to export');
	});

	it('of many takes one of each name, one’s own first, and says what it left out', async () => {
		await create('alpha', { visibility: 'system', actAsAdministrator: true });
		await create('alpha', { instructions: 'My own.' });
		const [item] = await items('transfer', 'export', { ...anna, exportWhat: 'many' });
		expect(item.json).toMatchObject({
			skills: ['alpha'],
			shadowed: [{ id: expect.any(String), name: 'alpha', ownerId: null }],
		});
		const parameters = { user: 'boris', importFrom: 'archive', binaryField: 'data' };
		await records('transfer', 'import', parameters, { binary: item.binary });
		const [skill] = await records('skill', 'get', { user: 'boris', ...named('alpha') });
		expect(skill).toMatchObject({ ownerId: 'boris', content: 'My own.' });
	});
});

describe('Sync to Folder', () => {
	it('writes what the user may see, and says what it did', async () => {
		const folder = mkdtempSync(join(ALLOWED_FOLDER, 'sync-'));
		await create('alpha');
		await create('beta');
		const sync = async (more = {}) =>
			await records('sync', 'toFolder', { ...anna, folder, ...more });
		expect((await sync()).map(({ name, action }) => `${name} ${action}`).sort()).toEqual([
			'alpha written',
			'beta written',
		]);
		expect(readFileSync(join(folder, 'alpha/SKILL.md'), 'utf8')).toContain('name: alpha');
		expect(await sync()).toMatchObject([{ action: 'unchanged' }, { action: 'unchanged' }]);
		expect(await sync({ options: { clean: true } })).toMatchObject([
			{ action: 'written' },
			{ action: 'written' },
		]);
		const chosen = await sync({ syncSkills: 'alpha, no-such' });
		const actions = chosen.map(({ name, action }) => `${name} ${action}`);
		expect(actions).toContain('no-such not found or access denied');
		expect(actions).toContain('beta removed');
		expect(existsSync(join(folder, 'beta'))).toBe(false);
	});

	it('leaves what it wrote for another user', async () => {
		const folder = mkdtempSync(join(ALLOWED_FOLDER, 'sync-'));
		await create('alpha');
		await create('gamma', { user: 'boris' });
		await records('sync', 'toFolder', { ...anna, folder });
		await records('sync', 'toFolder', { user: 'boris', folder });
		expect(existsSync(join(folder, 'alpha/SKILL.md'))).toBe(true);
		expect(existsSync(join(folder, 'gamma/SKILL.md'))).toBe(true);
	});

	it('takes back what an administrator saw once "Act as Administrator" is off', async () => {
		const folder = mkdtempSync(join(ALLOWED_FOLDER, 'sync-'));
		await create('alpha');
		await create('gamma', { user: 'boris' });
		const sync = async (more = {}) =>
			(await records('sync', 'toFolder', { ...anna, folder, ...more }))
				.map(({ name, action }) => `${name} ${action}`)
				.sort();
		expect(await sync({ actAsAdministrator: true })).toEqual(['alpha written', 'gamma written']);
		expect(await sync()).toEqual(['alpha unchanged', 'gamma removed']);
		expect(existsSync(join(folder, 'gamma'))).toBe(false);
	});

	it('writes the skills of the library that is there now', async () => {
		const folder = mkdtempSync(join(ALLOWED_FOLDER, 'sync-'));
		await create('alpha');
		await records('sync', 'toFolder', { ...anna, folder });
		process.env.N8N_USER_FOLDER = join(process.env.N8N_USER_FOLDER ?? '', 'other');
		await create('beta');
		const statuses = await records('sync', 'toFolder', { ...anna, folder });
		expect(statuses).toMatchObject([
			{ name: 'beta', action: 'written' },
			{ name: 'alpha', action: 'removed' },
		]);
	});

	it('takes all for an empty field, never for an expression that gives nothing', async () => {
		const folder = mkdtempSync(join(ALLOWED_FOLDER, 'sync-'));
		await create('alpha');
		await create('beta');
		const sync = async (syncSkills: string) =>
			(await records('sync', 'toFolder', { ...anna, folder, syncSkills })).map(
				({ name, action }) => `${name} ${action}`,
			);
		for (const nothing of ['={{ $json.absent }}', '={{ null }}', '={{ "" }}', '={{ [""] }}']) {
			await expect(sync(nothing)).rejects.toMatchObject({
				message: expect.stringMatching(/Skills to Sync.* gives no skill/),
				description: expect.stringContaining('leave the field empty'),
			});
		}
		expect(await sync('={{ ["alpha"] }}')).toEqual(['alpha written']);
		expect(await sync('')).toEqual(['alpha unchanged', 'beta written']);
		expect((await sync('={{ [] }}')).sort()).toEqual(['alpha removed', 'beta removed']);
	});

	it('asks for a folder', async () => {
		const sync = records('sync', 'toFolder', { ...anna, folder: '' });
		await expect(sync).rejects.toThrow('No folder is named');
	});
});

describe('Format', () => {
	beforeEach(async () => {
		await create('alpha');
		const file = { path: 'references/a.md', text: 'Reference text.' };
		await records('file', 'put', { ...anna, ...named('alpha'), ...file });
	});

	it('as full text is with or without files', async () => {
		const text = async (withFiles: boolean) =>
			(await records('format', 'content', { ...anna, ...named('alpha'), withFiles }))[0].text;
		expect(await text(true)).toMatch(/First line\.[^]*Reference text\./);
		expect(await text(false)).not.toContain('Reference text.');
	});

	it('as a list names each skill, as a tree each file', async () => {
		expect(await records('format', 'list', anna)).toMatchObject([
			{ skills: 1, text: expect.stringContaining('**alpha**') },
		]);
		expect(await records('format', 'tree', { ...anna, ...named('alpha') })).toMatchObject([
			{ name: 'alpha', text: expect.stringContaining('a.md') },
		]);
	});
});

it('two versions are compared, the current one unless told', async () => {
	await create('alpha');
	const skill = { ...anna, ...named('alpha') };
	const changes = { content: 'First line.\nOther line.\n', description: 'New.' };
	await records('skill', 'update', { ...skill, changes });
	await records('skill', 'update', { ...skill, changes: { content: 'Third.' } });
	const [current] = await records('version', 'compare', { ...skill, version: 2 });
	expect(current).toMatchObject({ from: 2, to: 3, isSame: false });
	const [earlier] = await records('version', 'compare', { ...skill, version: 1, otherVersion: 2 });
	expect(earlier.text).toContain('+Other line.');
	expect(earlier.fields).toMatchObject([{ field: 'description', after: 'New.' }]);
});

it('usage of one skill or of all is counted', async () => {
	await create('alpha');
	expect(await records('usage', 'getAll', anna)).toEqual([]);
	const one = { ...anna, usageOf: 'one', ...named('alpha'), countBy: 'day', since: '2026-01-01' };
	expect(await records('usage', 'getAll', one)).toEqual([]);
	await expect(records('usage', 'getAll', { ...one, since: 'soon' })).rejects.toThrow('no date');
});

it('long work says from time to time in the log how far it is', () => {
	const lines: string[] = [];
	let now = 0;
	const logger = { info: (line: string) => lines.push(line) };
	const context = { getNode: () => ({ name: 'Library' }), logger } as never;
	const progress = progressOf(context, 'imported', () => now);
	progress(1, 3);
	now = 6000;
	progress(2, 3);
	progress(3, 3);
	expect(lines).toEqual(['Library: imported 2 of 3 skills', 'Library: imported 3 of 3 skills']);
});
