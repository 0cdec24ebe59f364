import { MAX_PATH_LENGTH } from '../../nodes/core/limits';
import {
	baseName,
	isInside,
	isSafePath,
	joinPath,
	labelOf,
	parentOf,
	safeAbsolutePath,
	safeRelativePath,
} from '../../nodes/core/path';

describe('safeRelativePath', () => {
	it.each([
		['a', 'a'],
		['a/b.md', 'a/b.md'],
		['./a//b/', 'a/b'],
		['a..b/...c', 'a..b/...c'],
		['~/x', '~/x'],
		['ü/日本 語', 'ü/日本 語'],
		['x'.repeat(MAX_PATH_LENGTH), 'x'.repeat(MAX_PATH_LENGTH)],
	])('takes %j', (path, expected) => expect(safeRelativePath(path)).toBe(expected));

	it.each([
		'',
		'.',
		'./',
		'..',
		'../a',
		'a/../b',
		'a/..',
		'/a',
		'//a',
		'\\a',
		'a\\b',
		'C:x',
		'c:/x',
		'./C:/x',
		'a\0b',
		'a\nb',
		'a\u007fb',
		'x'.repeat(MAX_PATH_LENGTH + 1),
	])('refuses %j', (path) => expect(safeRelativePath(path)).toBeNull());

	it('refuses what is no text', () => {
		expect(safeRelativePath(undefined as never)).toBeNull();
		expect(safeAbsolutePath(undefined as never)).toBeNull();
	});
});

describe('safeAbsolutePath', () => {
	it.each([
		['/', '/'],
		['//', '/'],
		['/.', '/'],
		['/./.', '/'],
		['/a', '/a'],
		['//a//b/./c/', '/a/b/c'],
	])('takes %j as %j', (path, expected) => expect(safeAbsolutePath(path)).toBe(expected));

	it.each([
		'',
		'a',
		'.',
		'/..',
		'/../..',
		'/./..',
		'/a/..',
		'/a/../b',
		'/a\\b',
		'/C:/x',
		'/./C:/x',
		'/a\0',
	])('refuses %j', (path) => expect(safeAbsolutePath(path)).toBeNull());

	it('takes no time for many slashes and dots', () => {
		const started = performance.now();
		expect(safeAbsolutePath(`${'/'.repeat(900)}x`)).toBe('/x');
		expect(safeAbsolutePath(`/${'./'.repeat(500)}..`)).toBeNull();
		expect(safeAbsolutePath('/'.repeat(100_000))).toBeNull();
		expect(performance.now() - started).toBeLessThan(500);
	});
});

it('a safe path is absolute and written in the one way', () => {
	expect(['/', '/a', '/a/b'].map(isSafePath)).toEqual([true, true, true]);
	expect(['/a/', '//a', 'a', '', '/a/./b', undefined as never].map(isSafePath)).toEqual(
		Array(6).fill(false),
	);
});

it('paths are joined and parted', () => {
	expect([joinPath('/', 'a'), joinPath('/a', 'b')]).toEqual(['/a', '/a/b']);
	expect([parentOf('/a/b'), parentOf('/a'), parentOf('/')]).toEqual(['/a', '/', '/']);
	expect([baseName('/a/b'), baseName('/a'), baseName('/')]).toEqual(['b', 'a', '']);
});

it('a path is inside its folder, not inside one whose name only begins alike', () => {
	expect(isInside('/a', '/a')).toBe(true);
	expect(isInside('/a/b', '/a')).toBe(true);
	expect(isInside('/anything', '/')).toBe(true);
	expect(isInside('/ab', '/a')).toBe(false);
	expect(isInside('/', '/a')).toBe(false);
});

describe('labelOf', () => {
	it.each([
		['/home/me/.n8n-files/skills', 'N8n-files'],
		['/srv/team/skills', 'Team'],
		['/srv/team', 'Team'],
		['/skills', 'Skills'],
		['/', 'Skills'],
		['/.claude/skills/', 'Claude'],
		['/...', 'Skills'],
		['/übung', 'Übung'],
	])('of %s is %s', (path, label) => expect(labelOf(path)).toBe(label));

	it('an explicit label wins', () => {
		expect(labelOf('/srv/team/skills', ' Mine ')).toBe('Mine');
		expect(labelOf('/srv/team/skills', '  ')).toBe('Team');
	});
});
