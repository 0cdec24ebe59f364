import { items, named, records, useFreshLibrary } from './support/node';

useFreshLibrary();

const anna = { user: 'anna' };
const invoices = {
	...anna,
	skillName: 'invoice-check',
	skillDescription: 'Checks invoices. Use when an invoice comes in.',
	instructions: 'Ask for the IBAN.',
	tags: 'finance, Invoices',
};
const create = async (more = {}) => (await records('skill', 'create', { ...invoices, ...more }))[0];

describe('Skill', () => {
	it('is created for the user, private unless told', async () => {
		expect(await create()).toMatchObject({
			name: 'invoice-check',
			ownerId: 'anna',
			isPublic: false,
			tags: ['finance', 'Invoices'],
			version: 1,
		});
	});

	it('is created from the text of a SKILL.md', async () => {
		const newSkillMd =
			'---\nname: refunds\ndescription: Does refunds.\ntags: [money]\nlicense: MIT\n---\nBody.\n';
		await records('skill', 'create', { ...anna, defineBy: 'skillMd', newSkillMd });
		const [skill] = await records('skill', 'get', { ...anna, ...named('refunds') });
		expect(skill).toMatchObject({
			description: 'Does refunds.',
			tags: ['money'],
			extras: { license: 'MIT' },
			content: 'Body.\n',
		});
	});

	it('takes further frontmatter as JSON', async () => {
		const extras = '{"license": "MIT"}';
		expect(await create({ options: { extras } })).toMatchObject({ extras: { license: 'MIT' } });
		await expect(create({ options: { extras: '[1]' } })).rejects.toMatchObject({
			message: expect.stringContaining('no JSON object'),
			description: expect.stringContaining('{'),
		});
	});

	it('is got by name whatever its case, and by id', async () => {
		const { id } = await create();
		const byName = await records('skill', 'get', { ...anna, ...named('Invoice-Check') });
		const byId = await records('skill', 'get', { ...anna, skill: { mode: 'id', value: id } });
		expect(byName).toMatchObject([{ id, content: 'Ask for the IBAN.', files: [] }]);
		expect(byId).toEqual(byName);
	});

	it('is not shown to others, who learn nothing of it', async () => {
		await create();
		const wanted = { ...named('invoice-check'), user: 'boris' };
		const [error, absent] = await Promise.all([
			records('skill', 'get', wanted).catch((one: Error) => one.message),
			records('skill', 'get', { ...wanted, ...named('no-such') }).catch(
				(one: Error) => one.message,
			),
		]);
		expect(error).toMatch(/no such skill/);
		expect(error).toBe(absent);
	});

	it('is shown to everybody when it is public', async () => {
		await create({ visibility: 'public' });
		expect(await records('skill', 'getAll', {})).toMatchObject([{ name: 'invoice-check' }]);
	});

	it.each(['Public', 'true', true])('is not made for the visibility %p', async (visibility) => {
		await expect(create({ visibility: `={{ ${JSON.stringify(visibility)} }}` })).rejects.toThrow(
			'is no visibility',
		);
		expect(await records('skill', 'getAll', anna)).toEqual([]);
	});

	it('of the system needs the switch', async () => {
		const wish = { visibility: 'system' };
		await expect(create(wish)).rejects.toThrow();
		expect(await create({ ...wish, actAsAdministrator: true })).toMatchObject({ ownerId: null });
	});

	it('is searched, filtered and limited', async () => {
		await create();
		await create({ skillName: 'refunds', skillDescription: 'Does refunds.', tags: ['money'] });
		const names = async (more: object) =>
			(await records('skill', 'getAll', { ...anna, ...more })).map(({ name }) => name);
		expect(await names({ search: 'iban invoice' })).toContain('invoice-check');
		expect(await names({ filters: { tags: 'MONEY' } })).toEqual(['refunds']);
		expect(await names({ filters: { names: ['refunds'] } })).toEqual(['refunds']);
		expect(await names({ filters: { owner: 'boris' } })).toEqual([]);
		expect(await names({ filters: { visibility: 'public' } })).toEqual([]);
		expect(await names({ limit: 1 })).toHaveLength(1);
		expect(await names({ returnAll: true })).toHaveLength(2);
	});

	it('comes in pages', async () => {
		for (const name of ['a', 'b', 'c']) await create({ skillName: name });
		const [first] = await records('skill', 'getAll', {
			...anna,
			limit: 2,
			options: { asPage: true },
		});
		const cursor = first.nextCursor;
		const rest = await records('skill', 'getAll', {
			...anna,
			limit: 2,
			options: { asPage: true, cursor },
		});
		expect(first.skills).toMatchObject([{ name: 'a' }, { name: 'b' }]);
		expect(rest).toMatchObject([{ skills: [{ name: 'c' }] }]);
		expect(rest[0]).not.toHaveProperty('nextCursor');
	});

	it('is changed in what is given alone', async () => {
		await create();
		const changes = { description: 'New.', name: undefined, visibility: 'public' };
		const [changed] = await records('skill', 'update', {
			...anna,
			...named('invoice-check'),
			changes,
		});
		expect(changed).toMatchObject({
			name: 'invoice-check',
			description: 'New.',
			isPublic: true,
			tags: ['finance', 'Invoices'],
			version: 2,
		});
	});

	it('is not changed when somebody was faster', async () => {
		await create();
		const change = async (content: string) =>
			await records('skill', 'update', {
				...anna,
				...named('invoice-check'),
				changes: { content },
				options: { ifVersion: 1 },
			});
		await change('First.');
		await expect(change('Second.')).rejects.toMatchObject({
			message: expect.stringContaining('version 2'),
			description: expect.stringContaining('Get the skill again'),
		});
	});

	it('says so when nothing is to be changed', async () => {
		await create();
		const update = records('skill', 'update', { ...anna, ...named('invoice-check') });
		await expect(update).rejects.toThrow('Nothing is to be changed');
	});

	it('is deleted', async () => {
		await create();
		const [deleted] = await records('skill', 'delete', { ...anna, ...named('invoice-check') });
		expect(deleted).toMatchObject({ name: 'invoice-check', deleted: true });
		expect(await records('skill', 'getAll', anna)).toEqual([]);
	});

	it('gives a SKILL.md that makes the same skill again', async () => {
		const { id, contentHash } = await create();
		const [{ skillMd }] = await records('skill', 'generate', {
			...anna,
			skill: { mode: 'id', value: id },
		});
		const [again] = await records('skill', 'create', {
			user: 'boris',
			defineBy: 'skillMd',
			newSkillMd: skillMd,
		});
		expect(again).toMatchObject({ contentHash });
	});

	it('is validated as text and as it is stored', async () => {
		await create();
		const text = { validateWhat: 'text', skillMd: '---\nname: Bad Name\n---\n' };
		const stored = { validateWhat: 'skill', ...anna, ...named('invoice-check') };
		expect(await records('skill', 'validate', text)).toMatchObject([
			{ isValid: false, findings: [{ code: 'description-missing', severity: 'error' }] },
		]);
		expect(await records('skill', 'validate', stored)).toMatchObject([{ errors: 0, warnings: 0 }]);
	});

	it('asks for one when none is chosen', async () => {
		await expect(records('skill', 'get', { ...anna, ...named('') })).rejects.toThrow(
			'No skill is chosen',
		);
	});
});

describe('File', () => {
	const skill = { ...anna, ...named('invoice-check') };
	const put = async (more: object) => await records('file', 'put', { ...skill, ...more });

	beforeEach(async () => {
		await create();
	});

	it('is added as text, listed, read and replaced', async () => {
		await put({ path: 'references/fields.md', text: 'number' });
		await put({ path: 'references/fields.md', text: 'number, date' });
		const listed = await records('file', 'getAll', skill);
		expect(listed).toMatchObject([{ path: 'references/fields.md', size: 12, isBinary: false }]);
		const [file] = await records('file', 'get', { ...skill, path: 'references/fields.md' });
		expect(file).toMatchObject({ content: 'number, date' });
		const [whole] = await records('skill', 'get', { ...skill, includeFiles: 'text' });
		expect(whole.files).toMatchObject([{ content: 'number, date' }]);
	});

	it('is added and read as binary data', async () => {
		const bytes = Buffer.from([0, 1, 2, 255]);
		const binary = { data: { data: bytes.toString('base64'), mimeType: 'image/png' } };
		const path = 'assets/logo.png';
		const from = { ...skill, path, contentFrom: 'binary', binaryField: 'data' };
		await records('file', 'put', from, { binary });
		const [item] = await items('file', 'get', { ...skill, path, outputField: 'logo' });
		expect(item.json).toMatchObject({ path, isBinary: true });
		expect(item.binary?.logo).toMatchObject({
			fileName: 'logo.png',
			data: bytes.toString('base64'),
		});
	});

	it('is given as binary data when that is asked for', async () => {
		await put({ path: 'a.md', text: 'text' });
		const [item] = await items('file', 'get', { ...skill, path: 'a.md', outputAs: 'binary' });
		expect(item.json).not.toHaveProperty('content');
		expect(item.binary?.data.data).toBe(Buffer.from('text').toString('base64'));
	});

	it('is deleted by path or by its id alone', async () => {
		await put({ path: 'a.md', text: 'a' });
		const [{ id: fileId }] = await put({ path: 'b.md', text: 'b' });
		await records('file', 'delete', { ...skill, fileBy: 'path', path: 'a.md' });
		await records('file', 'delete', { ...anna, fileBy: 'id', fileId });
		expect(await records('file', 'getAll', skill)).toEqual([]);
	});

	it('that leaves the folder is refused with what to do', async () => {
		await expect(put({ path: '../evil', text: 'x' })).rejects.toMatchObject({
			message: expect.stringContaining('not a path inside'),
			description: expect.stringContaining('scripts/convert.py'),
		});
	});

	it('that is not in the item is asked for', async () => {
		const from = { path: 'a', contentFrom: 'binary', binaryField: 'nope' };
		await expect(put(from)).rejects.toThrow('no binary field');
	});

	it('of one item is never stored for another that has none', async () => {
		const binary = { data: { data: Buffer.from('first').toString('base64'), mimeType: 'a/b' } };
		const from = {
			...skill,
			path: '={{ $json.path }}',
			contentFrom: 'binary',
			binaryField: 'data',
		};
		const two = { items: [{ path: 'a' }, { path: 'b' }], binary: [binary, undefined] };
		const output = await records('file', 'put', from, { ...two, onError: 'continueRegularOutput' });
		expect(output).toMatchObject([
			{ path: 'a' },
			{
				error: expect.stringContaining('no binary field "data"'),
				details: { hint: expect.stringContaining('Name a binary field') },
			},
		]);
		expect(await records('file', 'getAll', skill)).toMatchObject([{ path: 'a' }]);
	});
});

describe('Version', () => {
	const skill = { ...anna, ...named('invoice-check') };

	beforeEach(async () => {
		await create();
		await records('skill', 'update', { ...skill, changes: { content: 'Second.' } });
	});

	it('is listed and restored', async () => {
		const versions = await records('version', 'getAll', skill);
		expect(versions.map(({ version }) => version).sort()).toContain(1);
		await records('version', 'restore', { ...skill, version: 1 });
		expect(await records('skill', 'get', skill)).toMatchObject([
			{ content: 'Ask for the IBAN.', version: 3 },
		]);
	});

	it('must be a number', async () => {
		const restore = records('version', 'restore', { ...skill, version: 0 });
		await expect(restore).rejects.toThrow('whole number of at least 1');
	});
});

describe('what goes wrong', () => {
	const wanted = { ...anna, ...named('no-such') };

	it('stops the node, with what to do below', async () => {
		await expect(records('skill', 'get', wanted)).rejects.toMatchObject({
			name: 'NodeOperationError',
			description: expect.stringContaining('Check the id or name'),
			context: { itemIndex: 0 },
		});
	});

	it('becomes an item with its code when the node may go on, and the others are done', async () => {
		await create();
		const output = await items(
			'skill',
			'get',
			{ ...anna, skill: { mode: 'name', value: '={{ $json.name }}' } },
			{ onError: 'continueRegularOutput', items: [{ name: 'no-such' }, { name: 'invoice-check' }] },
		);
		expect(output).toMatchObject([
			{
				json: {
					error: expect.any(String),
					details: { code: 'not-found', hint: expect.any(String) },
				},
				pairedItem: { item: 0 },
			},
			{ json: { name: 'invoice-check' }, pairedItem: { item: 1 } },
		]);
	});
});
