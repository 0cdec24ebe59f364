import { homedir } from 'node:os';

import { folders, picture, typed } from '../engine/support/picture';
import { supplyContext } from './support/contexts';

import { createSkillSet } from '../../nodes/core/skillset';
import { readSource } from '../../nodes/shared/source';

const home = homedir();

const read = (source: object) =>
	readSource(supplyContext(picture({ source: source as never }), { node: 'Source' }), 0, undefined);
const skillsOf = async (source: object) => {
	const { skills, diagnostics } = await createSkillSet(await read(source)).refresh();
	return { names: skills.map(({ name }) => name), codes: diagnostics.map(({ code }) => code) };
};

beforeEach(() => {
	process.env.N8N_SKILLS_DIRS = '';
});

describe('folders', () => {
	it('have the default ~/.n8n-files/skills, called after its parent', async () => {
		expect((await read({})).sources).toEqual([
			{ path: `${home}/.n8n-files/skills`, label: 'N8n-files' },
		]);
	});

	it('keep their order, and an own label', async () => {
		const source = [
			{ path: '/srv/team/skills', label: '' },
			{ path: '', label: 'nothing' },
			{ path: '/srv/user', label: ' Mine ' },
		];
		expect((await read({ sources: { source } })).sources).toEqual([
			{ path: '/srv/team/skills', label: 'Team' },
			{ path: '/srv/user', label: 'Mine' },
		]);
	});

	it.each([
		['team', '/team'],
		['/team/a', '/team/a'],
		['~/team', '/team'],
		['../../team', '/team'],
	])('with a root: %j is %j in it', async (path, expected) => {
		const { sources, backend } = await read(folders(path, { root: '~/library' }));
		expect(sources[0].path).toBe(expected);
		expect(backend.location).toBe(`${home}/library`);
	});

	it('come after those of N8N_SKILLS_DIRS, which a root leaves out', async () => {
		process.env.N8N_SKILLS_DIRS = '/srv/shared;~/more';
		const paths = async (options: object) =>
			(await read(folders('/srv/own', options as never))).sources.map(({ path }) => path);
		expect(await paths({})).toEqual(['/srv/shared', `${home}/more`, '/srv/own']);
		expect(await paths({ environmentFolders: false })).toEqual(['/srv/own']);
		expect(await paths({ root: '/srv' })).toEqual(['/srv/own']);
	});

	it('are at most fifty, and it is said when there are more', async () => {
		const { sources, diagnostics } = await read(
			folders(Array.from({ length: 51 }, (_, i) => `/s${i}`)),
		);
		expect(sources).toHaveLength(50);
		expect(diagnostics).toMatchObject([{ code: 'source-too-large' }]);
	});
});

describe('workflow data', () => {
	it('typed in gives skills', async () => {
		expect(await skillsOf(typed({ beta: 'x', alpha: 'y' }))).toEqual({
			names: ['alpha', 'beta'],
			codes: [],
		});
	});

	it('with nothing typed in is empty, and says so', async () => {
		const source = { backend: 'data', dataFrom: 'form' };
		expect(await skillsOf(source)).toEqual({ names: [], codes: ['source-empty'] });
	});

	it.each([
		['JSON text', '[{"name": "alpha", "description": "d", "content": "c"}]'],
		['one object', '{"name": "alpha", "description": "d", "content": "c"}'],
		['items', '={{ [{ json: { name: "alpha", description: "d", content: "c" } }] }}'],
	])('can be %s', async (_, items) => {
		const source = { backend: 'data', dataFrom: 'items', items };
		expect((await skillsOf(source)).names).toEqual(['alpha']);
	});

	it('is called Workflow unless it has a label', async () => {
		expect((await read(typed({}))).sources[0].label).toBe('Workflow');
		expect((await read(typed({}, { label: 'Rows' }))).sources[0].label).toBe('Rows');
	});

	it('hides what is not included or is excluded', async () => {
		const skills = { alpha: 'x', beta: 'x', gamma: 'x' };
		const { names } = await skillsOf(typed(skills, { include: 'alpha, beta', exclude: 'b*' }));
		expect(names).toEqual(['alpha']);
	});
});
