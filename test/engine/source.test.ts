import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { Host, type SavedWorkflow } from './support/host';
import { compiledPackage } from './support/package';
import { AGENT_WAYS, folders, load, picture, read, say, typed } from './support/picture';
import { skillFolder, skillText, type SkillFolder } from './support/skills';

let host: Host;
let skills: SkillFolder;

beforeEach(() => {
	host = new Host(compiledPackage());
	host.restart();
	skills = skillFolder();
	for (const name of ['alpha', 'beta', 'gamma']) skills.write(name);
});

afterEach(() => {
	process.env.N8N_SKILLS_DIRS = '';
	for (const path of outsideFolders.splice(0)) rmSync(path, { recursive: true });
});

const outsideFolders: string[] = [];

/** Gives back a folder of skills where n8n does not let nodes read. */
function skillFolderOutside(): SkillFolder {
	const parent = realpathSync(mkdtempSync(join(tmpdir(), 'agent-skills-outside-')));
	outsideFolders.push(parent);
	return skillFolder(parent);
}

const names = async (flow: SavedWorkflow, items = [{}]) => {
	const { system } = await say(host, flow, [], { items });
	return [...system.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, name]) => name);
};

describe('what a person sees of a Skills Source', () => {
	it.each(AGENT_WAYS)(
		'is one entry in an execution, however often it is asked: %s',
		async (_, agent) => {
			const flow = picture({ agent, source: folders(skills.path) });
			const turns = [[load('alpha')], [load('beta')], [load('gamma')]];
			const reply = await say(host, flow, turns);
			expect(reply.runs('Source')).toHaveLength(1);
			expect(reply.hints('Source')).toEqual([
				expect.stringMatching(/^3 skills found: .+ \(3\)\.$/),
			]);
		},
	);

	it('is one entry for many items', async () => {
		const flow = picture({ source: folders(skills.path) });
		const reply = await say(host, flow, [], { items: [{}, {}, {}] });
		expect(reply.runs('Source')).toHaveLength(1);
	});

	it('is an entry for each place when an expression gives every item its own', async () => {
		const other = skillFolder();
		other.write('delta');
		const flow = picture({ source: folders('={{ $json.folder }}') });
		const items = [{ folder: skills.path }, { folder: other.path }];
		const reply = await say(host, flow, [], { items });
		expect(reply.runs('Source')).toHaveLength(2);
		expect(reply.output('Catalog')[1].json.skillsPrompt).toContain('**delta**');
	});

	it('is shown again in the next execution', async () => {
		const flow = picture({ source: folders(skills.path) });
		await say(host, flow, []);
		expect((await say(host, flow, [])).runs('Source')).toHaveLength(1);
	});

	it('holds numbers, places, names and diagnostics', async () => {
		writeFileSync(skills.file('alpha'), 'no frontmatter');
		const flow = picture({ source: folders(skills.path) });
		const reply = await say(host, flow, []);
		const { json } = reply.runs('Source')[0].data?.ai_document?.[0]?.[0] ?? {};
		expect(json).toMatchObject({
			skills: 2,
			names: ['beta', 'gamma'],
			sources: [{ location: skills.path, status: 'ok', skills: 2, found: 2 }],
			diagnostics: [{ code: 'frontmatter-missing', severity: 'error' }],
		});
		expect(reply.hints('Source')[1]).toMatch(/^1 problem: /);
	});

	it('never holds markup of a skill', async () => {
		writeFileSync(
			skills.file('alpha'),
			'---\nname: "<img src=x onerror=alert(1)>"\ndescription: x\n---\n',
		);
		const flow = picture({ source: folders(skills.path) });
		const reply = await say(host, flow, []);
		expect(reply.hints('Source').join(' ')).toContain('1 warning');
		expect(reply.hints('Source').join(' ')).not.toContain('<');
	});

	it('explains an empty folder', async () => {
		const empty = skillFolder();
		const reply = await say(host, picture({ source: folders(empty.path) }), []);
		expect(reply.hints('Source').join(' ')).toContain('0 skills found');
		expect(reply.hints('Source').join(' ')).toContain('The folder is empty.');
		expect(reply.system).toContain('No skills available yet.');
	});
});

describe('Base Skills', () => {
	it.each(AGENT_WAYS)('workflow data lies over folders: %s', async (_, agent) => {
		const source = typed({ alpha: 'Data rule.', delta: 'Delta rule.' });
		const flow = picture({ agent, source, base: folders(skills.path) });
		const turns = [[load('alpha'), load('beta'), load('delta')]];
		const { answers, system } = await say(host, flow, turns);
		expect(answers[0]).toContain('Data rule.');
		expect(answers[1]).toContain('Rule of beta.');
		expect(answers[2]).toContain('Delta rule.');
		expect(system).toMatch(/Workflow Skills\*\*: `\/` \(higher priority\)/);
	});

	it.each(AGENT_WAYS)('folders lie over workflow data: %s', async (_, agent) => {
		skills.write('alpha', 'Folder rule.', { 'references/a.md': 'From the folder.' });
		const base = typed({ alpha: 'Data rule.', delta: 'Delta rule.' });
		const flow = picture({ agent, source: folders(skills.path), base });
		const turns = [[load('alpha'), load('delta'), read('alpha', 'references/a.md')]];
		const { answers } = await say(host, flow, turns);
		expect(answers[0]).toContain('Folder rule.');
		expect(answers[1]).toContain('Delta rule.');
		expect(answers[2]).toContain('From the folder.');
	});

	it('are reported as hidden where they are overridden', async () => {
		const flow = picture({ source: typed({ alpha: 'x' }), base: folders(skills.path) });
		const reply = await say(host, flow, []);
		const json = reply.runs('Source')[0].data?.ai_document?.[0]?.[0].json;
		expect(json?.diagnostics).toContainEqual(expect.objectContaining({ code: 'skill-shadowed' }));
		expect(json?.skills).toBe(3);
	});

	it('are filtered by the source above too', async () => {
		const source = typed({ delta: 'x' }, { exclude: 'alpha, g*' });
		expect(await names(picture({ source, base: folders(skills.path) }))).toEqual(['beta', 'delta']);
	});
});

describe('Include and Exclude Skills', () => {
	it.each([
		[{ include: 'alpha, g*' }, ['alpha', 'gamma']],
		[{ exclude: '?eta' }, ['alpha', 'gamma']],
		[{ include: '*', exclude: 'alpha' }, ['beta', 'gamma']],
	])('%j offer %j', async (options, expected) => {
		const flow = picture({ source: folders(skills.path, options) });
		expect(await names(flow)).toEqual(expected);
	});
});

describe('On Source Error', () => {
	it('"warn" goes on with the others, and says what is wrong', async () => {
		const flow = picture({ source: folders([`${skills.path}/none`, skills.path]) });
		const reply = await say(host, flow, []);
		expect(reply.status).toBe('success');
		expect(reply.system).toContain('**alpha**');
		expect(reply.hints('Source').join(' ')).toContain('does not exist');
	});

	it('"fail" stops the run, and says what is wrong', async () => {
		const paths = [`${skills.path}/none`, skills.path];
		const flow = picture({ source: folders(paths, { onSourceError: 'fail' }) });
		const reply = await say(host, flow, []);
		expect(reply.status).toBe('error');
		expect(JSON.stringify(reply.error)).toContain('Skills could not be read: None.');
		expect(JSON.stringify(reply.error)).toContain('does not exist');
	});

	it('"fail" lets a folder pass that is merely empty', async () => {
		const flow = picture({ source: folders(skillFolder().path, { onSourceError: 'fail' }) });
		expect((await say(host, flow, [])).status).toBe('success');
	});

	it('"fail" stops the run on data that is no skill', async () => {
		const source = {
			backend: 'data',
			dataFrom: 'items',
			items: '[{"x": 1}]',
			options: { onSourceError: 'fail' },
		};
		const reply = await say(host, picture({ source }), []);
		expect(JSON.stringify(reply.error)).toContain(
			'Skills could not be read: Source. Item 1 has no text',
		);
	});

	it('one broken skill is no source error', async () => {
		writeFileSync(skills.file('alpha'), 'no frontmatter');
		const flow = picture({ source: folders(skills.path, { onSourceError: 'fail' }) });
		expect((await say(host, flow, [])).status).toBe('success');
	});
});

describe('folders on disk', () => {
	it('outside of what n8n allows are refused, and the message says how to allow them', async () => {
		const outside = skillFolderOutside();
		outside.write('secret');
		const reply = await say(host, picture({ source: folders(outside.path) }), [[load('secret')]]);
		expect(reply.hints('Source').join(' ')).toContain('N8N_RESTRICT_FILE_ACCESS_TO');
		expect(reply.answers[0]).toContain('not found');
		expect(reply.system).not.toContain('secret**');
	});

	it('that are links out of what n8n allows are refused as well', async () => {
		const outside = skillFolderOutside();
		outside.write('secret');
		symlinkSync(outside.path, join(skills.path, 'link'));
		const direct = picture({ source: folders(join(skills.path, 'link')) });
		const within = await say(host, picture({ source: folders(skills.path) }), []);
		expect(await names(direct)).toEqual([]);
		expect(within.system).not.toContain('secret');
		expect(within.hints('Source').join(' ')).toContain('link that leaves the source');
	});

	it('may start with ~ for the home folder', async () => {
		const path = `~/${relative(homedir(), skills.path)}`;
		expect(await names(picture({ source: folders(path) }))).toEqual(['alpha', 'beta', 'gamma']);
	});

	it('are looked up inside the root folder when one is set', async () => {
		const root = skillFolder();
		mkdirSync(join(root.path, 'team', 'delta'), { recursive: true });
		writeFileSync(join(root.path, 'team', 'delta', 'SKILL.md'), skillText('delta', 'x'));
		const inRoot = (path: string) => picture({ source: folders(path, { root: root.path }) });
		expect(await names(inRoot('team'))).toEqual(['delta']);
		expect(await names(inRoot('/team'))).toEqual(['delta']);
		expect(await names(inRoot('../../../team'))).toEqual(['delta']);
		expect(await names(inRoot(skills.path))).toEqual([]);
	});

	it('of N8N_SKILLS_DIRS stand before the others, which win', async () => {
		const shared = skillFolder();
		shared.write('alpha', 'Shared rule.');
		shared.write('delta', 'Delta rule.');
		process.env.N8N_SKILLS_DIRS = `${shared.path};  `;
		const flow = picture({ source: folders(skills.path) });
		const { answers } = await say(host, flow, [[load('alpha'), load('delta')]]);
		expect(answers[0]).toContain('Rule of alpha.');
		expect(answers[1]).toContain('Delta rule.');
	});

	it('of N8N_SKILLS_DIRS can be left out', async () => {
		const shared = skillFolder();
		shared.write('delta');
		process.env.N8N_SKILLS_DIRS = shared.path;
		const flow = picture({ source: folders(skills.path, { environmentFolders: false }) });
		expect(await names(flow)).toEqual(['alpha', 'beta', 'gamma']);
	});

	it('override each other, the last wins', async () => {
		const user = skillFolder();
		user.write('alpha', 'User rule.');
		const flow = picture({ source: folders([skills.path, user.path]) });
		const { answers } = await say(host, flow, [[load('alpha')]]);
		expect(answers[0]).toContain('User rule.');
	});

	it('beyond the fiftieth are not looked at, and the person is told', async () => {
		const paths = Array.from({ length: 51 }, () => skills.path);
		const reply = await say(host, picture({ source: folders(paths) }), []);
		expect(reply.hints('Source').join(' ')).toContain('only the first 50');
	});
});

describe('workflow data', () => {
	const items = (value: unknown) => ({ backend: 'data', dataFrom: 'items', items: value });
	const withItems = (value: unknown) => picture({ source: items(value) as never });

	it('can be records given by an expression, with files', async () => {
		const record = {
			name: 'delta',
			description: 'Does delta.',
			content: 'Delta rule.',
			files: [{ path: 'references/a.md', content: 'A text.' }],
		};
		const flow = withItems("={{ $('Trigger').all() }}");
		const turns = [[load('delta'), read('delta', 'references/a.md')]];
		const { answers } = await say(host, flow, turns, { items: [record] });
		expect(answers[0]).toContain('Delta rule.');
		expect(answers[0]).toContain('- [reference] `references/a.md`');
		expect(answers[1]).toContain('A text.');
	});

	it('can be files given as JSON text', async () => {
		const files = [{ path: 'delta/SKILL.md', content: skillText('delta', 'Delta rule.') }];
		expect(await names(withItems(JSON.stringify(files)))).toEqual(['delta']);
	});

	it('that is no list of skills is told, and breaks nothing', async () => {
		const reply = await say(host, withItems('nonsense'), []);
		expect(reply.status).toBe('success');
		expect(reply.hints('Source').join(' ')).toContain('not a list of items');
	});

	it('typed into the node can have files', async () => {
		const source = typed({ delta: 'Delta rule.' }, { label: 'Mine' });
		const [skill] = (source.skills as { skill: Array<{ files: unknown }> }).skill;
		skill.files = { file: [{ path: 'scripts/run.sh', content: 'echo' }] };
		const { answers, system } = await say(host, picture({ source }), [[load('delta')]]);
		expect(answers[0]).toContain('- [script] `scripts/run.sh`');
		expect(system).toContain('**Mine Skills**');
	});
});
