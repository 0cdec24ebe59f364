import { HEAD_BYTES, MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from '../../nodes/core/limits';
import {
	decodeUtf8,
	hashOf,
	parseSkill,
	parseSkillHead,
	validateSkillFile,
} from '../../nodes/core/skill';
import { brokenHeaders } from './broken-headers';
import { skillText } from './support';

const parse = (text: string | Uint8Array, path = '/skills/pdf/SKILL.md') =>
	parseSkill(Buffer.from(text as string), path);
const header = (lines: string, path?: string) => parse(`---\n${lines}\n---\nbody`, path);
const codes = (found: { diagnostics: Array<{ code: string }> }) =>
	found.diagnostics.map((one) => one.code);

describe('parseSkill', () => {
	it('gives every field of a full header', () => {
		const parsed = header(
			[
				'name: pdf',
				'description: Works with PDF files.',
				'license: Apache-2.0',
				'compatibility: Needs Python 3.10',
				'allowed-tools: Read Bash(git add:*)',
				'metadata:',
				'  author: someone',
			].join('\n'),
		);
		expect(parsed.fields).toEqual({
			name: 'pdf',
			description: 'Works with PDF files.',
			license: 'Apache-2.0',
			compatibility: 'Needs Python 3.10',
			allowedTools: ['Read', 'Bash(git add:*)'],
			metadata: { author: 'someone' },
			modelInvocable: true,
			diagnostics: [],
		});
	});

	it('needs no more than name and description', () => {
		expect(parse(skillText('pdf')).fields).toEqual({
			name: 'pdf',
			description: 'About pdf',
			metadata: {},
			allowedTools: [],
			modelInvocable: true,
			diagnostics: [],
		});
	});

	it.each([
		['CRLF', skillText('pdf').replaceAll('\n', '\r\n')],
		['a byte order mark', `\ufeff${skillText('pdf')}`],
		['both', `\ufeff${skillText('pdf').replaceAll('\n', '\r\n')}`],
	])('takes %s without a finding', (_, text) => {
		const parsed = parse(text);
		expect(parsed.fields).toMatchObject({ name: 'pdf', description: 'About pdf' });
		expect(parsed.diagnostics).toEqual([]);
	});

	it('makes one line of a description of several', () => {
		const { fields } = header('name: pdf\ndescription: |\n  One.\n\n  Two.\n    Three.');
		expect(fields?.description).toBe('One. Two. Three.');
	});

	it('removes invisible characters and defuses our tags', () => {
		const { fields } = header('name: p\u200bdf\ndescription: "a\u202e</skill_content>\u{e0041}b"');
		expect(fields).toMatchObject({ name: 'pdf', description: 'a&lt;/skill_content>b' });
	});

	it('skips what has no frontmatter', () => {
		expect(parse('# Just text')).toMatchObject({
			fields: null,
			diagnostics: [{ code: 'frontmatter-missing' }],
		});
	});

	it.each([
		['name', 'description: d', 'name-missing'],
		['description', 'name: pdf', 'description-missing'],
		['a name of nothing but signs', 'name: "***"\ndescription: d', 'name-missing'],
		['a name of invisible characters', 'name: "\u200b"\ndescription: d', 'name-missing'],
		['an empty description', 'name: pdf\ndescription:', 'description-missing'],
		['a description of spaces', 'name: pdf\ndescription: "  "', 'description-missing'],
	])('skips what has no usable %s', (_, lines, code) => {
		const parsed = header(lines);
		expect(parsed.fields).toBeNull();
		expect(parsed.diagnostics).toMatchObject([{ code, severity: 'error' }]);
	});

	it('suggests the name of the folder', () => {
		expect(header('description: d').diagnostics[0].message).toContain('"name: pdf"');
		expect(header('description: d', '/SKILL.md').diagnostics[0].message).toContain('my-skill');
	});

	it('reports both when name and description are missing', () => {
		expect(codes(header('license: MIT'))).toEqual(['name-missing', 'description-missing']);
	});

	it('recovers name and description of at least 95 % of broken headers, with the right line', () => {
		const all = brokenHeaders();
		const recovered = all.filter(({ text, name, description }) => {
			const { fields } = parse(text, `/skills/${name}/SKILL.md`);
			return fields?.name === name && fields.description.includes(description);
		});
		const located = all.filter(({ text, line, name }) => {
			const { diagnostics } = parse(text, `/skills/${name}/SKILL.md`);
			return diagnostics.some(
				({ code, position }) => code === 'yaml-repaired' && position?.line === line,
			);
		});
		expect(all).toHaveLength(40);
		expect(recovered.length).toBeGreaterThanOrEqual(38);
		expect(located.length).toBeGreaterThanOrEqual(38);
	});
});

describe('names', () => {
	const named = (name: string, folder = name) =>
		header(`name: ${JSON.stringify(name)}\ndescription: d`, `/skills/${folder}/SKILL.md`);

	it.each(['a', 'pdf', 'pdf-2', '2-pdf', 'übung', '日本語', 'a'.repeat(MAX_NAME_LENGTH), 'नमस्ते'])(
		'%s is to the rules',
		(name) => {
			const parsed = named(name);
			expect(parsed.fields?.name).toBe(name);
			expect(parsed.diagnostics).toEqual([]);
		},
	);

	it('counts characters, not their bytes or units', () => {
		const name = '𐐨'.repeat(MAX_NAME_LENGTH);
		expect(named(name).fields?.name).toBe(name);
		expect(named(name).diagnostics).toEqual([]);
	});

	it.each([
		['PDF', 'capital letters'],
		['my skill', 'only lowercase letters, digits and hyphens'],
		['my_skill', 'only lowercase letters, digits and hyphens'],
		['-pdf', 'hyphens'],
		['pdf-', 'hyphens'],
		['pdf--2', 'hyphens'],
		['a'.repeat(MAX_NAME_LENGTH + 1), `longer than ${MAX_NAME_LENGTH}`],
	])('%s is loaded with a warning', (name, why) => {
		const parsed = named(name);
		expect(parsed.fields).not.toBeNull();
		expect(parsed.diagnostics).toMatchObject([
			{ code: 'name-invalid', severity: 'warning', message: expect.stringContaining(why) },
		]);
	});

	it('loses the signs that mean something in a catalog or tag', () => {
		const parsed = named('`my`<b>"*[skill]*{x}\\|');
		expect(parsed.fields?.name).toBe('mybskillx');
		expect(codes(parsed)).toEqual(['name-invalid']);
	});

	it('is cut when it is too long', () => {
		expect(named('x'.repeat(500)).fields?.name).toBe(`${'x'.repeat(MAX_NAME_LENGTH - 1)}…`);
	});

	it('that differs from its folder is loaded with a warning', () => {
		const parsed = named('pdf', 'documents');
		expect(parsed.fields?.name).toBe('pdf');
		expect(parsed.diagnostics).toMatchObject([
			{ code: 'name-mismatch', message: expect.stringContaining('"documents"') },
		]);
	});

	it('that differs only in its Unicode form from its folder is the same', () => {
		expect(named('übung', 'u\u0308bung').diagnostics).toEqual([]);
		expect(named('u\u0308bung', 'übung').diagnostics).toEqual([]);
	});

	it('of a skill at the root of its source has no folder to differ from', () => {
		expect(header('name: pdf\ndescription: d', '/SKILL.md').diagnostics).toEqual([]);
	});
});

describe('long fields', () => {
	it('a description is cut at 1,024 characters, and said to be', () => {
		const parsed = header(`name: pdf\ndescription: ${'x'.repeat(3000)}`);
		expect(parsed.fields?.description).toHaveLength(MAX_DESCRIPTION_LENGTH);
		expect(parsed.diagnostics).toMatchObject([
			{ code: 'description-cut', message: expect.stringContaining('3000') },
		]);
		expect(codes(header(`name: pdf\ndescription: ${'x'.repeat(1024)}`))).toEqual([]);
	});

	it('compatibility is cut at 500 characters, and said to be', () => {
		const parsed = header(`name: pdf\ndescription: d\ncompatibility: ${'x'.repeat(501)}`);
		expect(parsed.fields?.compatibility).toHaveLength(500);
		expect(codes(parsed)).toEqual(['compatibility-cut']);
	});

	it('a licence is cut quietly', () => {
		const parsed = header(`name: pdf\ndescription: d\nlicense: ${'x'.repeat(1000)}`);
		expect(parsed.fields?.license).toHaveLength(200);
		expect(codes(parsed)).toEqual([]);
	});
});

describe('metadata', () => {
	const metadata = (lines: string) => header(`name: pdf\ndescription: d\nmetadata:${lines}`);

	it('keeps numbers, lists, maps and JSON as text, without a finding', () => {
		const parsed = metadata(
			[
				'',
				'  version: 1.10',
				'  count: 3',
				'  live: true',
				'  tags: [a, b]',
				'  nested:',
				'    x: {y: [z]}',
				'  none:',
				'  json: {"requires": {"bins": ["git"]}}',
			].join('\n'),
		);
		expect(parsed.fields?.metadata).toEqual({
			version: '1.10',
			count: '3',
			live: 'true',
			tags: 'a, b',
			nested: '{"x":{"y":["z"]}}',
			none: '',
			json: '{"requires":{"bins":["git"]}}',
		});
		expect(parsed.diagnostics).toEqual([]);
	});

	it('takes a flow map', () => {
		expect(metadata(' {"a": {"b": 1}}').fields?.metadata).toEqual({ a: '{"b":"1"}' });
	});

	it('of hostile depth is cut', () => {
		const deep = metadata(` {a: ${'['.repeat(30)}x${']'.repeat(30)}}`).fields?.metadata.a ?? '';
		expect(deep).toContain('…');
		expect(deep.length).toBeLessThan(100);
	});

	it('in a circle is cut where it closes', () => {
		const parsed = metadata(` &m {a: [${Array(40).fill('*m').join(', ')}]}`);
		expect(parsed.fields?.metadata.a).toBe(JSON.stringify(Array(40).fill({ a: '…' })));
	});

	it.each([' just text', ' [a, b]'])('that is no map is ignored with a warning: %s', (value) => {
		const parsed = metadata(value);
		expect(parsed.fields?.metadata).toEqual({});
		expect(codes(parsed)).toEqual(['field-invalid']);
	});

	it('with hostile keys harms nothing', () => {
		const { fields } = metadata('\n  __proto__: {polluted: yes}\n  constructor: x\n  a: b');
		expect(fields?.metadata.a).toBe('b');
		expect(Object.getPrototypeOf(fields?.metadata)).toBe(Object.prototype);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it('keeps at most 100 keys and 1,000 characters a value', () => {
		const lines = Array.from({ length: 150 }, (_, index) => `  k${index}: v`).join('\n');
		expect(Object.keys(metadata(`\n${lines}`).fields?.metadata ?? {})).toHaveLength(100);
		expect(metadata(`\n  k: ${'x'.repeat(5000)}`).fields?.metadata.k).toHaveLength(1000);
	});
});

describe('allowed-tools', () => {
	it.each([
		['spaces', 'Read Write Bash', ['Read', 'Write', 'Bash']],
		['commas', 'Read, Write,Bash', ['Read', 'Write', 'Bash']],
		['a list', '[Read, Write]', ['Read', 'Write']],
		['a block list', '\n  - Read\n  - Bash(npm run:*)', ['Read', 'Bash(npm run:*)']],
		['one', 'Read', ['Read']],
		[
			'brackets with spaces',
			'Bash(git add:*, git rm:*) Read',
			['Bash(git add:*, git rm:*)', 'Read'],
		],
		['an open bracket', 'Bash(git Read', ['Bash', 'git', 'Read']],
		['nothing', '', []],
		['a list with nothing', '["", ~]', ['~']],
		['invisible characters', '"\u200b Read"', ['Read']],
		['a list with a map', '[{a: b}]', ['{"a":"b"}']],
	])('takes %s', (_, value, expected) => {
		const { fields } = header(`name: pdf\ndescription: d\nallowed-tools: ${value}`);
		expect(fields?.allowedTools).toEqual(expected);
	});

	it('keeps at most 50', () => {
		const { fields } = header(`name: pdf\ndescription: d\nallowed-tools: ${'T '.repeat(80)}`);
		expect(fields?.allowedTools).toHaveLength(50);
	});
});

describe('disable-model-invocation', () => {
	it.each([
		['true', false],
		['True', false],
		['yes', false],
		['on', false],
		['"true"', false],
		['false', true],
		['no', true],
		['', true],
		['maybe', true],
		['[true]', false],
	])('%s: the model is offered the skill: %s', (value, offered) => {
		const { fields } = header(`name: pdf\ndescription: d\ndisable-model-invocation: ${value}`);
		expect(fields?.modelInvocable).toBe(offered);
	});
});

describe('odd values in text fields', () => {
	it.each([
		['a list', '[MIT, Apache]', 'MIT, Apache'],
		['a map', '{a: b}', '{"a":"b"}'],
		['nothing', '', undefined],
	])('license with %s', (_, value, expected) => {
		const { fields } = header(`name: pdf\ndescription: d\nlicense: ${value}`);
		expect(fields?.license).toBe(expected);
	});

	it('a description that is a list is joined', () => {
		expect(header('name: pdf\ndescription: [a, b]').fields?.description).toBe('a, b');
	});
});

describe('text that is not UTF-8', () => {
	it.each([
		['a Latin-1 letter', [0x61, 0xe4, 0x62], 2],
		['a cut character at the end', [0x61, 0xe2, 0x82], 2],
		['a cut character in the middle', [0xef, 0xbf, 0x41], 1],
		['a lone continuation', [0x80], 1],
		['a surrogate', [0x61, 0x61, 0xed, 0xa0, 0x80], 3],
		['after a replacement character of its own', [0xef, 0xbf, 0xbd, 0xff], 4],
	])('is skipped with its position: %s', (_, bytes, position) => {
		expect(parse(Uint8Array.from(bytes))).toMatchObject({
			fields: null,
			diagnostics: [
				{ code: 'skill-not-utf8', message: expect.stringContaining(`byte ${position})`) },
			],
		});
	});

	it('is found quickly at the end of the largest file', () => {
		const content = Buffer.alloc(10 * 1024 * 1024, 'a');
		content[content.length - 1] = 0xff;
		const started = performance.now();
		expect(decodeUtf8(content)).toEqual({ badByte: content.length - 1 });
		expect(performance.now() - started).toBeLessThan(1000);
	});

	it('is no matter when it is only unusual', () => {
		expect(decodeUtf8(Buffer.from('\ufffd😀é'))).toEqual({ text: '\ufffd😀é' });
	});
});

describe('validateSkillFile', () => {
	const validate = (lines: string) =>
		validateSkillFile(Buffer.from(`---\n${lines}\n---\n`), '/skills/pdf/SKILL.md');

	it('adds a finding for each field that the specification does not know', () => {
		const lines = 'name: pdf\ndescription: d\nversion: 1\nauthor: me\nlicense: MIT';
		expect(validate(lines)).toMatchObject([
			{ code: 'field-unknown', severity: 'info', message: expect.stringContaining('"version"') },
			{ code: 'field-unknown', message: expect.stringContaining('"author"') },
		]);
		expect(header(lines).diagnostics).toEqual([]);
	});

	it('knows all fields of the specification', () => {
		const lines =
			'name: pdf\ndescription: d\nlicense: MIT\ncompatibility: x\nallowed-tools: a\nmetadata: {}\ndisable-model-invocation: false';
		expect(validate(lines)).toEqual([]);
	});

	it('gives the findings of parsing too, also of what is not text', () => {
		expect(validate('name: PDF')[0].code).toBe('description-missing');
		expect(validateSkillFile(Uint8Array.from([0xff]), '/x/SKILL.md')).toMatchObject([
			{ code: 'skill-not-utf8' },
		]);
	});
});

describe('parseSkillHead', () => {
	const PATH = '/skills/pdf/SKILL.md';
	const head = (text: string) => parseSkillHead(Buffer.from(text).subarray(0, HEAD_BYTES), PATH);
	const HEADER = 'name: pdf\ndescription: Reads PDF';
	const longer = (bytes: number) => `${HEADER}\nnotes: ${'é'.repeat(bytes / 2)}`;

	it.each([
		['a plain one', `---\n${HEADER}\n---\n\n# Body`],
		['one that a body with fences follows', `---\n${HEADER}\n---\n---\nname: other\n---\n`],
		['one that `yaml` must repair', `---\n${HEADER}: and more\n---\n`],
		['one without a name', '---\ndescription: x\n---\n'],
		['one with letters of any script', '---\nname: pdf\ndescription: Prüft 契約\n---\n'],
	])('says of a header what the whole file says: %s', (_, text) => {
		expect(head(text)).toEqual(parseSkill(Buffer.from(text), PATH));
	});

	it.each([
		['it goes on beyond the head', `---\n${longer(HEAD_BYTES)}\n---\n`],
		['its end is cut in two', `${`---\n${HEADER}\nx: `.padEnd(HEAD_BYTES - 2, 'x')}\n---\n`],
		['it ends with three dots', `---\n${HEADER}\n...\n---\n`],
		['its fence has a space behind it', `---\n${HEADER}\n--- \n---\n`],
		['it has CRLF', `---\r\n${HEADER}\r\n---\r\n`],
		['one line has CRLF', `---\n${HEADER}\r\n---\n`],
		['it starts with a byte order mark', `\ufeff---\n${HEADER}\n---\n`],
		['it starts with an empty line', `\n---\n${HEADER}\n---\n`],
		['the file ends with it', `---\n${HEADER}\n---`],
		['it is empty', '---\n---\n'],
		['there is none', '# Title\n\n---\nname: pdf\n---\n'],
	])('asks for the whole file where %s', (_, text) => {
		expect(head(text)).toBeNull();
	});

	it('asks for the whole file where the header is not UTF-8', () => {
		const latin = Buffer.from('---\nname: pdf\ndescription: für\n---\n', 'latin1');
		expect(parseSkillHead(latin, PATH)).toBeNull();
	});
});

it('the hash changes with every byte of the file', () => {
	expect(hashOf(Buffer.from('a'))).toMatch(/^[0-9a-f]{32}$/);
	expect(hashOf(Buffer.from('a'))).toBe(hashOf(Buffer.from('a')));
	expect(hashOf(Buffer.from('a'))).not.toBe(hashOf(Buffer.from('b')));
});
