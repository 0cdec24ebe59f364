import { MAX_QUERY_LENGTH } from '../../nodes/core/limits';
import type { Library, SkillQuery } from '../../nodes/core/library/types';
import { wordsOf } from '../../nodes/core/search';
import { DATABASES, openNew, type LibraryUnderTest } from './support/databases';
import { newSkill } from './support/skills';

/** All that is to be searched of Ann's skills. */
const SEARCHED = {
	'in-body': 'in body Nothing All about invoices and taxes.',
	'in-tags': 'in tags Nothing Invoices Money',
	'in-description': 'in description Reads invoices Nothing',
	invoices: 'invoices Nothing money',
	chinese:
		'chinese 处理PDF文件的专业技能 Open utils.py at https://example.com/a_b?c=100% — naïve Straße',
};

describe.each(DATABASES)('a search in %s', (_, newPlace) => {
	let test: LibraryUnderTest;
	let ann: Library;

	beforeAll(async () => {
		test = await openNew(newPlace);
		ann = test.as('ann');
		const admin = test.as('root', true);
		const plain = { description: 'Nothing', content: 'Nothing' };
		await ann.create({ ...plain, name: 'in-body', content: 'All about invoices and taxes.' });
		await ann.create({ ...plain, name: 'in-tags', tags: ['Invoices', 'Money'] });
		await ann.create({ ...plain, name: 'in-description', description: 'Reads invoices' });
		await ann.create({ ...plain, name: 'invoices', tags: ['money'] });
		await test.as('bob').create({ ...plain, name: 'hidden-invoices' });
		await test.as('bob').create({ ...plain, name: 'bobs-public', isPublic: true, tags: ['x'] });
		await admin.create({ ...plain, name: 'of-the-system', ownerId: null, tags: ['x', 'money'] });
		await ann.create({
			...plain,
			name: 'chinese',
			description: '处理PDF文件的专业技能',
			content: 'Open utils.py at https://example.com/a_b?c=100% — naïve Straße',
		});
	});
	afterAll(async () => await test.close());

	const names = async (query: SkillQuery, library = ann) =>
		(await library.list(query)).skills.map(({ name }) => name);

	it('puts name before description before tags before text', async () => {
		expect(await names({ text: 'invoices' })).toEqual([
			'invoices',
			'in-description',
			'in-tags',
			'in-body',
		]);
	});

	it.each([
		['INVOICES taxes', ['in-body']],
		['invoice tax', ['in-body']],
		['taxes nowhere', []],
		['文件', ['chinese']],
		['pdf', ['chinese']],
		['utils', ['chinese']],
		['utils.py', ['chinese']],
		['example.com', ['chinese']],
		['NAÏVE', ['chinese']],
		['100%', ['chinese']],
	])('finds %j in %j', async (text, found) => {
		expect(await names({ text })).toEqual(found);
	});

	it.each([
		'%',
		'_',
		'%invoices%',
		'invoice_',
		'"',
		"'",
		"invoices' OR 1=1 --",
		'invoices" OR "a',
		'name:invoices',
		'{name}: invoices',
		'invoices NOT taxes',
		'NEAR(invoices taxes)',
		'^invoices',
		'inv*',
		'invoices AND',
		'(invoices',
		'invoices | taxes',
		'!invoices',
		'invoices <-> taxes',
		'invoices:*',
		'\\',
		"\\'",
		'a\0b',
		'\0',
		'\ud800',
		'💥',
		'--',
		';',
		'x'.repeat(100_000),
		'word '.repeat(10_000),
		'ａ'.repeat(600),
		'1e5 0x1F 1e',
	])('takes %j for words, and for nothing else', async (text) => {
		const words = wordsOf(text.slice(0, MAX_QUERY_LENGTH));
		const fits = (searched: string) =>
			words.every((word) => wordsOf(searched).some((one) => one.startsWith(word)));
		const expected = Object.entries(SEARCHED).filter(([, all]) => words.length > 0 && fits(all));
		expect((await names({ text, ownerId: 'ann' })).sort()).toEqual(
			expected.map(([name]) => name).sort(),
		);
	});

	it('finds all where the text is blank', async () => {
		expect(await names({ text: ' ' })).toEqual(await names({}));
		expect(await names({})).toEqual([
			'bobs-public',
			'chinese',
			'in-body',
			'in-description',
			'in-tags',
			'invoices',
			'of-the-system',
		]);
	});

	it.each<[string, SkillQuery, string[]]>([
		['tags', { tags: ['MONEY'] }, ['in-tags', 'invoices', 'of-the-system']],
		['all tags', { tags: ['money', 'x'] }, ['of-the-system']],
		['an owner', { ownerId: 'bob' }, ['bobs-public']],
		['the system', { ownerId: null }, ['of-the-system']],
		['public ones', { visibility: 'public' }, ['bobs-public']],
		['system ones', { visibility: 'system' }, ['of-the-system']],
		['names', { names: ['INVOICES', 'in_body', 'hidden-invoices'] }, ['in-body', 'invoices']],
		['no names', { names: [] }, []],
		['a text and a tag', { text: 'invoices', tags: ['money'] }, ['invoices', 'in-tags']],
		['a hostile tag', { tags: ["x' OR '1'='1"] }, []],
		['a wildcard tag', { tags: ['%'] }, []],
		['a NUL in a tag', { tags: ['x\0'] }, []],
		['a NUL in a name', { names: ['invoices\0'] }, []],
		['a NUL in an owner', { ownerId: 'bob\0' }, []],
	])('is narrowed by %s', async (_case, query, found) => {
		expect(await names(query)).toEqual(found);
	});

	it('is narrowed to private ones, and to own ones', async () => {
		const own = ['chinese', 'in-body', 'in-description', 'in-tags', 'invoices'];
		expect(await names({ visibility: 'private' })).toEqual(own);
		expect(await names({ ownOnly: true })).toEqual([...own, 'of-the-system']);
		expect(await names({ ownOnly: true }, test.as(null))).toEqual(['of-the-system']);
	});

	it('is narrowed to what changed since a time', async () => {
		const library = test.as('changer');
		const first = await library.create(newSkill('older'));
		const second = await library.create(newSkill('newer'));
		const later = await library.update({ id: second.id }, { description: 'Changed' });
		expect(await names({ changedSince: later.updatedAt, ownerId: 'changer' }, library)).toEqual([
			'newer',
		]);
		const since = new Date(Date.parse(first.updatedAt)).toUTCString();
		expect(await names({ changedSince: since, ownerId: 'changer' }, library)).toEqual([
			'newer',
			'older',
		]);
		await expect(library.list({ changedSince: 'yesterday' })).rejects.toMatchObject({
			code: 'invalid',
		});
	});

	it.each<[string, SkillQuery]>([
		['by name', {}],
		['by rank', { text: 'invoices' }],
	])('comes in pages %s, with each skill once', async (_case, query) => {
		const all = await names(query);
		const paged: string[] = [];
		let cursor: string | undefined;
		do {
			const page = await ann.list({ ...query, limit: 3, cursor });
			expect(page.skills.length).toBeLessThanOrEqual(3);
			paged.push(...page.skills.map(({ name }) => name));
			cursor = page.cursor;
		} while (cursor !== undefined);
		expect(paged).toEqual(all);
	});

	it.each<[string, SkillQuery]>([
		['by name', {}],
		['by rank', { text: 'zebra' }],
	])(
		'gives each skill once %s, whatever comes and goes between two pages',
		async (_case, query) => {
			const library = test.as(`pages ${_case}`);
			const make = async (name: string, content = 'zebra') =>
				await library.create(newSkill(name, { content }));
			const all = Array.from({ length: 20 }, (__, at) => `skill-${String(at).padStart(2, '0')}`);
			for (const name of all) await make(name);
			const seen: string[] = [];
			let cursor: string | undefined;
			for (let round = 0; round === 0 || cursor !== undefined; round++) {
				const page = await library.list({ ...query, ownerId: `pages ${_case}`, limit: 3, cursor });
				({ cursor } = page);
				seen.push(...page.skills.map(({ name }) => name));
				// Before it, in the page itself, and after it.
				await make(`a-${round}`, 'zebra zebra zebra');
				await library.remove({ id: page.skills[page.skills.length - 1].id });
				await make(`z-${round}`, 'far away a zebra in a long text');
				if (round === 1) await library.remove({ name: all[0] });
			}
			expect(new Set(seen).size).toBe(seen.length);
			expect(seen).toEqual(expect.arrayContaining(all));
		},
	);

	it('has no further page after a full last one', async () => {
		const { length } = await names({});
		expect(await ann.list({ limit: length })).not.toHaveProperty('cursor');
	});

	it('lists equal names of several owners in pages of one', async () => {
		const admin = test.as('root', true);
		for (const user of ['p1', 'p2', 'p3']) await test.as(user).create(newSkill('paged'));
		const owners: Array<string | null> = [];
		let cursor: string | undefined;
		do {
			const page = await admin.list({ names: ['paged'], limit: 1, cursor });
			owners.push(...page.skills.map(({ ownerId }) => ownerId));
			cursor = page.cursor;
		} while (cursor !== undefined);
		expect(owners.sort()).toEqual(['p1', 'p2', 'p3']);
	});

	it.each([
		['a cursor that is none', { cursor: 'x' }],
		['a cursor of a hostile kind', { cursor: Buffer.from('["a\\u0000", 1]').toString('base64') }],
		['a cursor of a listing in a search', { text: 'a', cursor: btoa('["a","b"]') }],
		['a limit of 0', { limit: 0 }],
		['half a limit', { limit: 0.5 }],
	])('refuses %s', async (_case, query) => {
		await expect(ann.list(query)).rejects.toMatchObject({ code: 'invalid' });
	});

	it.each<[string, SkillQuery]>([
		['a name of half a character', { names: ['\ud800'] }],
		['a tag of half a character', { tags: ['\ud800'] }],
		['an owner of half a character', { ownerId: '\ud800' }],
	])('finds nothing by %s', async (_case, query) => {
		expect(await names(query)).toEqual([]);
		expect(await names({ ...query, names: ['\udbff', 'chinese'], tags: [] })).toEqual(
			query.ownerId === undefined ? ['chinese'] : [],
		);
	});

	it.each(['-000100-01-01T00:00:00Z', '0000-06-01T00:00:00Z', '+010000-01-01T00:00:00Z'])(
		'knows no time %s, which not every database does',
		async (changedSince) => {
			await expect(ann.list({ changedSince })).rejects.toMatchObject({ code: 'invalid' });
		},
	);

	it('takes the first year, and every limit that is a number', async () => {
		expect(await names({ changedSince: '0001-01-01T00:00:00Z' })).toEqual(await names({}));
		expect(await names({ limit: Number.MAX_SAFE_INTEGER })).toEqual(await names({}));
	});

	it('finds words in long texts up to a length, in whatever script', async () => {
		const dense = Array.from({ length: 60_000 }, (__, at) => String.fromCodePoint(0x20000 + at));
		const long = `begins ${dense.join('-')} ${'a-b.c_d/e '.repeat(20_000)} ends`;
		const library = test.as('writer');
		await library.create(newSkill('long', { content: long }));
		expect(await names({ text: 'begins', ownerId: 'writer' }, library)).toEqual(['long']);
		expect(await names({ text: 'ends', ownerId: 'writer' }, library)).toEqual([]);
	});

	it('follows changes of a skill', async () => {
		const library = test.as('follower');
		const { id } = await library.create(
			newSkill('before-it', { description: 'Any', content: 'zebra' }),
		);
		const found = async (text: string) => await names({ text, ownerId: 'follower' }, library);
		expect(await found('zebra')).toEqual(['before-it']);
		await library.update({ id }, { name: 'after-it' });
		expect(await found('before')).toEqual([]);
		expect(await found('after zebra')).toEqual(['after-it']);
		await library.update({ id }, { content: 'giraffe' });
		expect(await found('zebra')).toEqual([]);
		expect(await found('after giraffe')).toEqual(['after-it']);
	});
});
