import { join } from 'node:path';

import fc from 'fast-check';

import { skillContent } from '../../nodes/core/answers';
import { renderCatalog, type CatalogFormat } from '../../nodes/core/catalog';
import { createDataBackend } from '../../nodes/core/backends';
import { isInside, safeAbsolutePath, safeRelativePath } from '../../nodes/core/path';
import { filesFromData } from '../../nodes/core/records';
import { clearRegistryCache } from '../../nodes/core/registry';
import { toolArguments, type ToolName } from '../../nodes/core/schema';
import { parseSkill, validateSkillFile } from '../../nodes/core/skill';
import type { SkillMetadata } from '../../nodes/core/types';
import {
	answer,
	diskBackend,
	fakeSkill,
	memoryBackend,
	removeTempTrees,
	setOf,
	skillTree,
	tempTree,
	toolContext,
} from './support';

beforeEach(clearRegistryCache);
afterAll(removeTempTrees);

/** Pieces that mean something to YAML, Markdown, XML, paths or our own tags. */
const PIECES = [
	...['---', '...', '\n', '\r\n', '\t', '  ', ': ', ':', '- ', '? ', '# ', '|', '>', '&a ', '*a'],
	...[
		'[',
		']',
		'{',
		'}',
		'"',
		"'",
		'`',
		'%',
		'@',
		'!!x ',
		'<<: ',
		'name',
		'description',
		'metadata',
	],
	...['</skill_content>', '<skill_content>', '</available_skills>', '</skill>', '</description>'],
	...['<skill>', '&lt;', '&', ']]>', '<!--', '**', '[Loaded]', '{baseDir}', '{skills_list}', '$&'],
	...[
		'\u2028',
		'\u0085',
		'\u202e',
		'\u200b',
		'\u200d',
		'\ufe0f',
		'\ufeff',
		'\u{e0041}',
		'\0',
		'\ud800',
	],
	...['日', '😀', 'é', 'skill', '_content', '</', '<', '>', '/', '..', '\\', 'C:', '__proto__'],
];
const pieces = (maxLength: number) =>
	fc.array(fc.constantFrom(...PIECES), { maxLength }).map((parts) => parts.join(''));
/** Text of meaningful pieces, of any characters, or of both. */
const anyText = fc.oneof(
	pieces(30),
	fc.string({ unit: 'binary', maxLength: 80 }),
	fc
		.tuple(pieces(8), fc.string({ unit: 'grapheme', maxLength: 30 }), pieces(8))
		.map((p) => p.join('')),
);
const anyFile = fc.oneof(
	fc.uint8Array({ maxLength: 300 }),
	anyText.map((text) => Uint8Array.from(Buffer.from(text))),
	anyText.map((text) => Uint8Array.from(Buffer.from(`---\n${text}\n---\n${text}`))),
	fc
		.tuple(anyText, anyText, anyText)
		.map(([name, description, more]) =>
			Uint8Array.from(
				Buffer.from(`---\nname: ${name}\ndescription: ${description}\n${more}\n---\nbody`),
			),
		),
);
/** A path such as a hostile model, link or archive would use. */
const anyPath = fc.oneof(
	fc
		.array(
			fc.constantFrom(
				'..',
				'.',
				'',
				'/',
				'\\',
				'a',
				'secret.md',
				'~',
				'C:',
				'\0',
				'%2e%2e',
				'．．',
				' ',
			),
			{ maxLength: 12 },
		)
		.chain((parts) => fc.constantFrom('/', '//', '\\', '').map((glue) => parts.join(glue))),
	anyText,
);

const LINE_BREAK = /[\n\r\u0085\u2028\u2029\v\f]/;
const INVISIBLE =
	/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u;

describe('no bytes crash', () => {
	it('parseSkill; what it gives is one safe line a field', () => {
		fc.assert(
			fc.property(anyFile, (content) => {
				const { fields, diagnostics } = parseSkill(content, '/x/SKILL.md');
				expect(validateSkillFile(content, '/x/SKILL.md').length).toBeGreaterThanOrEqual(
					diagnostics.length,
				);
				if (fields === null) expect(diagnostics.length).toBeGreaterThan(0);
				else {
					const lines = [fields.name, fields.description, fields.license, fields.compatibility];
					for (const line of [...lines, ...fields.allowedTools]) {
						expect(line ?? '').not.toMatch(LINE_BREAK);
						expect(line ?? '').not.toMatch(INVISIBLE);
						expect(line ?? '').not.toMatch(/<\s*\/?\s*skill_content/i);
					}
					expect(fields.name).not.toBe('');
					expect([...fields.name].length).toBeLessThanOrEqual(64);
					expect(fields.description.length).toBeLessThanOrEqual(1024);
				}
			}),
			{ numRuns: 1500 },
		);
	});

	it('the registry, and a good skill beside them is still there', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(anyFile, { maxLength: 6 }), async (contents) => {
				clearRegistryCache();
				const broken = Object.fromEntries(contents.map((one, i) => [`fuzz-${i}/SKILL.md`, one]));
				const backend = memoryBackend({ ...skillTree({ good: 'Good' }, 'z/'), ...broken });
				const { skills, diagnostics } = await setOf(backend).refresh();
				const isGood = ({ path }: SkillMetadata) => path === '/z/good/SKILL.md';
				const isShadowing = skills.some((skill) => skill.name === 'good');
				expect(skills.some(isGood) || isShadowing).toBe(true);
				for (const index of contents.keys()) {
					const path = `/fuzz-${index}/SKILL.md`;
					// Never silently gone: each is offered, or a finding says why not.
					expect([...skills, ...diagnostics].some((one) => one.path === path)).toBe(true);
				}
			}),
			{ numRuns: 200 },
		);
	});

	it('workflow data of any shape', async () => {
		const item = fc.oneof(
			fc.anything(),
			fc.record({ path: anyPath, content: anyText }),
			fc.record({ name: anyText, description: anyText, content: anyText, files: fc.anything() }),
		);
		await fc.assert(
			fc.asyncProperty(fc.oneof(fc.anything(), fc.array(item, { maxLength: 5 })), async (data) => {
				const { files } = filesFromData(data);
				for (const { path } of files) expect(safeAbsolutePath(path)).toBe(path);
				const snapshot = await setOf(createDataBackend(files)).refresh();
				expect(snapshot.sources).toHaveLength(1);
			}),
			{ numRuns: 300 },
		);
	});

	it('a tool, whatever the model sends', async () => {
		const context = toolContext(setOf(memoryBackend(skillTree({ a: 'A' }))));
		const tools = Object.keys(toolArguments) as ToolName[];
		const args = fc.oneof(
			fc.anything(),
			fc.record({ skill_name: fc.oneof(fc.constant('a'), fc.anything(), anyText) }),
			fc.record({
				skill_name: fc.constant('a'),
				paths: fc.oneof(fc.array(anyPath), fc.anything()),
			}),
			fc.record({ query: anyText, limit: fc.anything() }),
		);
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...tools), args, async (tool, input) => {
				expect((await answer(context, tool, input)).length).toBeGreaterThan(0);
			}),
			{ numRuns: 500 },
		);
	});
});

describe('no path escapes', () => {
	it('the guard', () => {
		fc.assert(
			fc.property(anyPath, (path) => {
				for (const safe of [safeRelativePath(path), safeAbsolutePath(path)]) {
					if (safe === null) continue;
					expect(isInside(join('/source', safe), '/source')).toBe(true);
					expect(safe.split('/')).not.toContain('..');
					expect(safe).not.toMatch(/[\\\0-\x1f]/);
				}
				const absolute = safeAbsolutePath(path);
				if (absolute !== null) expect(safeAbsolutePath(absolute)).toBe(absolute);
			}),
			{ numRuns: 2000 },
		);
	});

	it('the filesystem backend: a secret beside the source is never given, by path or by link', async () => {
		const root = await tempTree({
			'secret.md': 'SECRET',
			'skills/a/SKILL.md': 'fine',
			'skills/a/up': '-> ../..',
			'skills/a/secret.md': '-> ../../secret.md',
			'skills/a/abs': '-> {root}',
		});
		const backend = diskBackend(root, ['/skills']);
		const hostile = fc.oneof(
			anyPath,
			anyPath.map((path) => `/skills/${path}`),
			anyPath.map((path) => `/skills/a/${path}`),
			anyPath.map((path) => `/skills/a/up/${path}`),
			anyPath.map((path) => `/skills/a/abs/${path}`),
		);
		await fc.assert(
			fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 5 }), async (paths) => {
				const results = await backend.read(paths, 1000);
				expect(results).toHaveLength(paths.length);
				for (const one of results) {
					if ('content' in one) expect(Buffer.from(one.content).toString()).toBe('fine');
				}
				const listed = await backend.list(paths[0]).catch(() => null);
				for (const entry of listed ?? []) expect(isInside(entry.path, '/skills')).toBe(true);
			}),
			{ numRuns: 500 },
		);
	});

	it('read_skill_file', async () => {
		const root = await tempTree({ ...skillTree({ a: 'A' }, 'skills/'), 'secret.md': 'SECRET' });
		const sources = [{ path: '/skills', label: 'S' }];
		const context = toolContext(setOf(diskBackend(root, ['/skills']), { sources }));
		const folder = fc.constantFrom('', `${root}/skills/a/`, `${root}/skills/a/../`);
		await fc.assert(
			fc.asyncProperty(folder, anyPath, async (start, path) => {
				const args = { skill_name: 'a', paths: [start + path] };
				expect(await answer(context, 'read_skill_file', args)).not.toContain('SECRET');
			}),
			{ numRuns: 300 },
		);
	});
});

describe('no skill text breaks out', () => {
	/** Skills as the parser gives them, from any text. */
	const anySkills = fc
		.array(fc.tuple(anyText, anyText, anyText, anyText), { maxLength: 5 })
		.map((rows) =>
			rows.flatMap(([name, description, license, tools], index) => {
				const text = (value: string) => JSON.stringify(value.toWellFormed());
				const header = [
					`name: ${text(name)}`,
					`description: ${text(description)}`,
					`license: ${text(license)}`,
					`allowed-tools: ${text(tools)}`,
				].join('\n');
				const content = Buffer.from(`---\n${header}\n---\n`);
				const { fields } = parseSkill(content, `/s${index}/SKILL.md`);
				return fields ? [{ ...fakeSkill('x'), ...fields }] : [];
			}),
		);

	const render = (
		skills: SkillMetadata[],
		format: CatalogFormat,
		maxTokens: number,
		template = '',
	) =>
		renderCatalog(
			{ snapshot: { skills, diagnostics: [], sources: [] }, loaded: new Map(), tail: [] },
			{ format, template, maxTokens, showWarnings: true, prefix: '' },
		);
	const anyBudget = fc.constantFrom(0, 5, 30, 100, 400);

	it('of its line: markdown has one a skill, plus its own details', () => {
		fc.assert(
			fc.property(anySkills, (skills) => {
				fc.pre(skills.length > 0);
				const text = render(skills, 'custom', 0, '{skills_list}');
				const lines = text.split(LINE_BREAK);
				const withTools = skills.filter((skill) => skill.allowedTools.length > 0).length;
				expect(lines).toHaveLength(skills.length + withTools + 2);
				expect(lines.filter((line) => line.startsWith('- **'))).toHaveLength(skills.length);
				expect(lines.filter((line) => line.startsWith('  -> Recommended'))).toHaveLength(withTools);
				expect(text).not.toMatch(INVISIBLE);
			}),
			{ numRuns: 500 },
		);
	});

	it('of its line: compact has one a skill', () => {
		fc.assert(
			fc.property(anySkills, (skills) => {
				fc.pre(skills.length > 0);
				const lines = render(skills, 'compact', 0).split(LINE_BREAK);
				expect(lines).toHaveLength(skills.length + 1);
				skills.forEach(({ name }, index) => {
					expect(lines[index + 1].startsWith(`${name}: `)).toBe(true);
				});
			}),
			{ numRuns: 500 },
		);
	});

	it('of its element: xml is well-formed at every budget and has no tags but ours', () => {
		fc.assert(
			fc.property(anySkills, anyBudget, (skills, maxTokens) => {
				fc.pre(skills.length > 0);
				const text = render(skills, 'xml', maxTokens);
				const list = text.slice(text.indexOf('<available_skills>'));
				const isFull = maxTokens === 0;
				const skill = /<skill><name>[^<>]*<\/name><description>[^<>]*<\/description><\/skill>\n/g;
				const inside = list
					.replace('<available_skills>\n', '')
					.replace('\n</available_skills>', '\n');
				const matches = inside.match(skill) ?? [];
				if (isFull) expect(matches).toHaveLength(skills.length);
				expect(inside.replace(skill, '')).not.toMatch(/[<>]/);
				// Every ampersand begins one of the entities that we write.
				expect(inside.replace(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
			}),
			{ numRuns: 500 },
		);
	});

	it('of its tag: instructions are between exactly one opening and one closing tag', () => {
		fc.assert(
			fc.property(anyText, anyText, anyText, (body, directory, name) => {
				const text = skillContent(fakeSkill(name, { directory: `/${directory}` }), body);
				expect(text.match(/<\s*\/?\s*skill_content\b/gi)).toHaveLength(2);
				expect(text).toMatch(
					/^<skill_content name="[^"<>]*" dir="[^"<>]*">\n[^]*\n<\/skill_content>$/,
				);
			}),
			{ numRuns: 1000 },
		);
	});

	it('of its tag: a file of a skill', async () => {
		await fc.assert(
			fc.asyncProperty(anyText, async (content) => {
				clearRegistryCache();
				const tree = { ...skillTree({ a: 'A' }), 'a/x.md': Buffer.from(content) };
				const context = toolContext(setOf(memoryBackend(tree)));
				const args = { skill_name: 'a', paths: ['x.md'] };
				const text = await answer(context, 'read_skill_file', args);
				if (content.includes('\0')) expect(text).toContain('is binary');
				else expect(text.match(/<\s*\/?\s*skill_content\b/gi)).toHaveLength(2);
			}),
			{ numRuns: 200 },
		);
	});
});
