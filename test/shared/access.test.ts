import { homedir } from 'node:os';

import { picture } from '../engine/support/picture';
import { executeContext, supplyContext } from './support/contexts';

import { ALLOWED_FOLDER } from '../engine/support/environment';
import { environmentFolders, expandPath, fileAccess } from '../../nodes/shared/access';

const home = homedir();

describe('expandPath', () => {
	it.each([
		['~', home],
		['~/skills', `${home}/skills`],
		['  ~/skills/ ', `${home}/skills`],
		['~other/skills', '/base/~other/skills'],
		['skills', '/base/skills'],
		['/a/./b/../c', '/a/c'],
	])('%j is %j', (path, expected) => {
		expect(expandPath(path, '/base')).toBe(expected);
	});
});

describe('environmentFolders', () => {
	afterEach(() => {
		delete process.env.N8N_SKILLS_DIRS;
	});

	it.each([
		[undefined, []],
		['', []],
		['/a', ['/a']],
		['/a;/b', ['/a', '/b']],
		['/a:/b', ['/a', '/b']],
		[' /a ; ;/b;', ['/a', '/b']],
	])('N8N_SKILLS_DIRS=%j gives %j', (value, expected) => {
		if (value === undefined) delete process.env.N8N_SKILLS_DIRS;
		else process.env.N8N_SKILLS_DIRS = value;
		expect(environmentFolders()).toEqual(expected);
	});
});

describe.each([
	['an execution', executeContext],
	['a supply', supplyContext],
])('fileAccess in %s', (_, contextOf) => {
	const access = () => fileAccess(contextOf(picture(), { node: 'Loader' }));

	it("asks n8n's own rules", async () => {
		expect(await access().isBlocked(`${ALLOWED_FOLDER}/skills`)).toBe(false);
		expect(await access().isBlocked('/etc')).toBe(true);
	});

	it('says what an administrator can do', () => {
		expect(access().explain('/etc')).toMatch(/N8N_RESTRICT_FILE_ACCESS_TO.*\/etc$/);
	});
});
