import { folderOf, locationOf, parseRepository } from '../../../nodes/core/github/repository';

const parse = (typed: Partial<Parameters<typeof parseRepository>[0]>) =>
	parseRepository({ owner: '', repository: '', ref: '', apiUrl: '', ...typed });

const short = (typed: Parameters<typeof parse>[0]) => {
	const { repository, folder } = parse(typed);
	return [repository.owner, repository.name, repository.ref, folder];
};

describe('a repository', () => {
	it('is an owner and a name', () => {
		expect(short({ owner: ' octo ', repository: 'skills.git' })).toEqual([
			'octo',
			'skills',
			'',
			'',
		]);
	});

	it.each([
		['octo/skills', ['octo', 'skills', '', '']],
		['https://github.com/octo/skills', ['octo', 'skills', '', '']],
		['https://www.github.com/octo/skills/', ['octo', 'skills', '', '']],
		['github.com/octo/skills', ['octo', 'skills', '', '']],
		['https://github.com/octo/skills.git', ['octo', 'skills', '', '']],
		['git@github.com:octo/skills.git', ['octo', 'skills', '', '']],
		['ssh://git@github.com/octo/skills.git', ['octo', 'skills', '', '']],
		['https://github.com/octo/skills?tab=readme#top', ['octo', 'skills', '', '']],
		['https://github.com/octo/skills/tree/v1', ['octo', 'skills', 'v1', '']],
		['https://github.com/octo/skills/tree/main/a/b%20c/', ['octo', 'skills', 'main', 'a/b c']],
		['https://github.com/octo/skills/blob/main/a/SKILL.md', ['octo', 'skills', 'main', 'a']],
		['https://github.com/octo/skills/tree/main/100%', ['octo', 'skills', 'main', '100%']],
		['https://github.com/octo/skills/issues/1', ['octo', 'skills', '', '']],
		['https://github.com/octo/skills/tree', ['octo', 'skills', '', '']],
	])('may be pasted whole into either field: %s', (text, expected) => {
		expect(short({ repository: text })).toEqual(expected);
		expect(short({ owner: text })).toEqual(expected);
	});

	it('takes the ref that was typed before the one of the address', () => {
		expect(short({ owner: 'octo/skills/tree/main/x', ref: 'v2' })).toEqual([
			'octo',
			'skills',
			'v2',
			'x',
		]);
	});

	it.each([
		{},
		{ owner: 'octo' },
		{ repository: 'skills' },
		{ owner: 'octo', repository: '..' },
		{ owner: 'octo', repository: 'a b' },
		{ owner: '../x', repository: 'skills' },
		{ repository: '/' },
		{ repository: 'https://github.com/octo' },
	])('is refused when it is %j, with what to fill in', (typed) => {
		expect(() => parse(typed)).toThrow(/is not the name of a GitHub repository/);
	});

	it.each([
		'https://oauth2:SECRET@github.com/acme/skills.git',
		'https://SECRET@github.com/acme/skills',
		'SECRET@github.com/acme/skills',
		'git@SECRET@github.com:acme/skills',
	])('is refused with what may be a token in it, which is not repeated: %s', (repository) => {
		expect(() => parse({ repository })).toThrow(/user name or password/);
		expect(() => parse({ repository })).not.toThrow(/SECRET/i);
		expect(() => parse({ owner: repository, repository: 'x' })).toThrow(/user name or password/);
	});

	it.each(['a..b', '-x', '/x', 'x/', 'a b', 'a:b', 'a\nb', 'x?y', '.x', 'a//b', 'x'.repeat(251)])(
		'is refused with the ref %j',
		(ref) => {
			expect(() => parse({ repository: 'octo/skills', ref })).toThrow(/not the name of a branch/);
		},
	);

	it.each(['main', 'feature/x', 'v1.0.0', 'a'.repeat(40), 'heads/main', 'ünïcode', 'x@y'])(
		'may have the ref %j',
		(ref) => {
			expect(short({ repository: 'octo/skills', ref })[2]).toBe(ref);
		},
	);
});

describe('the API address', () => {
	const apiUrl = (text: string) =>
		parse({ repository: 'octo/skills', apiUrl: text }).repository.apiUrl;

	it.each([
		['', 'https://api.github.com'],
		['https://api.github.com/', 'https://api.github.com'],
		['https://github.com', 'https://api.github.com'],
		['https://ghe.example.com/api/v3/', 'https://ghe.example.com/api/v3'],
		['https://ghe.example.com:8443/api/v3?x=1', 'https://ghe.example.com:8443/api/v3'],
	])('%j is %s', (text, expected) => {
		expect(apiUrl(text)).toBe(expected);
	});

	it.each(['github', 'ftp://github.com', 'https://me:secret@ghe.example.com'])(
		'%j is refused',
		(text) => {
			expect(() => apiUrl(text)).toThrow(expect.objectContaining({ code: 'source-invalid' }));
		},
	);

	it('must be of the same place as a pasted address', () => {
		const repository = 'https://ghe.example.com/octo/skills';
		expect(() => parse({ repository })).toThrow(/on ghe.example.com, but .* api.github.com/);
		expect(short({ repository, apiUrl: 'https://ghe.example.com/api/v3' })).toContain('octo');
		expect(short({ repository, apiUrl: 'https://api.ghe.example.com' })).toContain('octo');
	});
});

describe('a folder', () => {
	it.each([
		['', '/'],
		['/', '/'],
		[' skills/team/ ', '/skills/team'],
		['//skills', '/skills'],
		['./skills', '/skills'],
	])('%j is %s', (text, path) => {
		expect(folderOf(text)).toBe(path);
	});

	it.each(['../x', 'a/../../b', 'a\\b', 'a\0'])('%j is refused', (text) => {
		expect(() => folderOf(text)).toThrow(/not a folder of a repository/);
	});
});

describe('a place', () => {
	const at = (apiUrl: string, ref: string) =>
		locationOf({ apiUrl, owner: 'octo', name: 'skills', ref });

	it('is short on GitHub, and names another server', () => {
		expect(at('https://api.github.com', '')).toBe('github:octo/skills');
		expect(at('https://ghe.example.com/api/v3', 'v1')).toBe('ghe.example.com:octo/skills@v1');
	});
});
