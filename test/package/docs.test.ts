import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { DIAGNOSTIC_SEVERITY } from '../../nodes/core/errors';

const ROOT = join(__dirname, '../..');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const pages = [
	'README.md',
	...readdirSync(join(ROOT, 'docs'))
		.filter((name) => name.endsWith('.md'))
		.map((name) => `docs/${name}`),
];

describe('docs/errors.md', () => {
	const rows = text('docs/errors.md').matchAll(/^\| `([^`]+)` \|(.*)$/gm);
	const table = [...rows].map(([, code, rest]) => ({ code, rest }));

	it('has one row for each code, and none for anything else', () => {
		expect(table.map(({ code }) => code).sort()).toEqual(Object.keys(DIAGNOSTIC_SEVERITY).sort());
	});

	it('names the severity of each', () => {
		const wrong = table.filter(
			({ code, rest }) => !rest.includes(DIAGNOSTIC_SEVERITY[code as never] as string),
		);
		expect(wrong).toEqual([]);
	});
});

describe('docs/where-it-works.md', () => {
	it('names a test for everything that it says works', () => {
		const rows =
			text('docs/where-it-works.md').match(/^\| .* \| (?:yes|AI Agent 3) \| .*$/gm) ?? [];
		expect(rows.length).toBeGreaterThan(6);
		expect(rows.filter((row) => !/\]\(\.\.\/test\/[^)]+\.test\.ts\)/.test(row))).toEqual([]);
	});
});

describe('docs/library.md', () => {
	it('has one row for each code of the library, and none for anything else', () => {
		const source = text('nodes/core/library/types.ts');
		const [, union] = /type LibraryErrorCode =([^;]+);/.exec(source) ?? [];
		const codes = [...union.matchAll(/'([a-z-]+)'/g)].map(([, code]) => code);
		const errors = text('docs/library.md').split('## Errors')[1];
		const rows = [...errors.matchAll(/^\| `([^`]+)` \|/gm)].map(([, code]) => code);
		expect(codes.length).toBeGreaterThan(5);
		expect(rows).toEqual(codes);
	});
});

describe('README.md', () => {
	const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };

	it('names the command that starts it, and the one that tests it', () => {
		expect(text('README.md')).toContain('npm install && npm start');
		expect(text('README.md')).toContain('npm install && npm test');
	});

	it('names no npm script that does not exist', () => {
		const named = [...text('README.md').matchAll(/npm (?:run )?([a-z0-9:]+)/g)].map(
			([, name]) => name,
		);
		const known = new Set([...Object.keys(scripts), 'install', 'run', 'pack']);
		expect(named.filter((name) => !known.has(name))).toEqual([]);
	});
});

describe.each(pages)('%s', (page) => {
	it('links to files that exist', () => {
		const links = [...text(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link);
		const local = links.filter((link) => !/^(?:[a-z]+:|#)/.test(link));
		const missing = local.filter(
			(link) => !existsSync(join(ROOT, dirname(page), link.replace(/#.*$/, ''))),
		);
		expect(missing).toEqual([]);
	});
});
