import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Workflow } from '../../../examples/demo/client';
import { REPOSITORY } from '../../../examples/demo/pack';
import { freePort, LOOPBACK } from '../../../examples/demo/ports';
import { openBench, type Bench } from '../support/bench';
import { readWorld } from '../support/world';

const KEY = { name: 'X-Api-Key', value: 'only for tests' };
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const WAIT_FOR_WEBHOOK_MS = 20_000;

let bench: Bench;
let skills: string;

interface Answer {
	status: number;
	success?: boolean;
	data?: Record<string, unknown> & Array<Record<string, unknown>>;
	error?: string;
	nextCursor?: string;
}

const asUser = (user: string) => ({ [KEY.name]: KEY.value, 'x-user-id': user });
const NOBODY = { [KEY.name]: KEY.value };

async function ask(
	method: string,
	path: string,
	body?: object,
	headers: Record<string, string> = asUser('api-anna'),
	address = skills,
): Promise<Answer> {
	const isForm = body instanceof FormData || body instanceof URLSearchParams;
	const answer = await fetch(`${address}${path}`, {
		method,
		headers: isForm ? headers : { 'content-type': 'application/json', ...headers },
		body: body === undefined || isForm ? body : JSON.stringify(body),
	});
	const text = await answer.text();
	try {
		return { status: answer.status, ...(JSON.parse(text) as object) };
	} catch {
		return { status: answer.status, error: text };
	}
}

const refunds = () => ({
	name: `refunds-${randomUUID().slice(0, 8)}`,
	description: 'Does refunds.',
	content: 'Pay it back.',
	tags: ['money'],
});

/** Puts the example into production, and gives back its address. */
async function serve(change: (workflow: Workflow) => void = () => undefined, at = 'skill-library') {
	const file = join(REPOSITORY, 'examples', 'skill-library-api.json');
	const workflow = JSON.parse(
		readFileSync(file, 'utf8').replaceAll('"skill-library', `"${at}`),
	) as Workflow;
	const id = await bench.client.createCredential('API key', 'httpHeaderAuth', KEY);
	for (const node of workflow.nodes.filter(({ type }) => type.endsWith('.webhook'))) {
		node.credentials = { httpHeaderAuth: { id, name: 'API key' } };
	}
	change(workflow);
	const { id: workflowId } = await bench.client.createWorkflow(workflow);
	await bench.client.activate(workflowId);
	const address = `${readWorld().url}/webhook/${at}/skills`;
	const deadline = Date.now() + WAIT_FOR_WEBHOOK_MS;
	const status = async () => (await ask('GET', '', undefined, NOBODY, address)).status;
	while ((await status()) === 404 && Date.now() < deadline) {
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
	return address;
}

beforeAll(async () => {
	bench = await openBench();
	skills = await serve();
});

afterAll(async () => {
	await bench.close();
});

it('creates, gets, updates and deletes a skill', async () => {
	const skill = refunds();
	const created = await ask('POST', '', skill);
	expect(created).toMatchObject({ status: 201, success: true, data: { ownerId: 'api-anna' } });
	const path = `/${String(created.data?.id)}`;
	expect(await ask('GET', path)).toMatchObject({
		status: 200,
		success: true,
		data: { ...skill, isPublic: false, files: [] },
	});
	expect(await ask('PUT', path, { description: 'New.', is_public: true })).toMatchObject({
		status: 200,
		data: { description: 'New.', isPublic: true, tags: ['money'], version: 2 },
	});
	expect(await ask('DELETE', path)).toMatchObject({ status: 200, data: { deleted: true } });
	expect(await ask('GET', path)).toMatchObject({ status: 404, success: false });
});

it('lists what the user may see, with or without the public skills of others', async () => {
	const [own, other] = [refunds(), refunds()];
	const user = `api-${randomUUID()}`;
	await ask('POST', '', own, asUser(user));
	await ask('POST', '', { ...other, is_public: true });
	const names = async (query: string) =>
		(await ask('GET', query, undefined, asUser(user))).data?.map(({ name }) => name);
	expect(await names('?limit=500')).toEqual(expect.arrayContaining([own.name, other.name]));
	expect(await names('?include_public=false')).toEqual([own.name]);
	const first = await ask('GET', '?limit=1', undefined, asUser(user));
	expect(first).toMatchObject({ status: 200, nextCursor: expect.any(String) });
	const query = `?limit=1&cursor=${encodeURIComponent(String(first.nextCursor))}`;
	expect(await names(query)).not.toEqual(first.data?.map(({ name }) => name));
});

it('adds files as text or as a form, and deletes one by its id', async () => {
	const { data } = await ask('POST', '', refunds());
	const path = `/${String(data?.id)}`;
	const text = await ask('POST', `${path}/files`, { path: 'a.md', content: 'Alpha.' });
	expect(text).toMatchObject({ status: 201, data: { path: 'a.md', size: 6 } });
	const form = new FormData();
	form.set('path', 'logo.bin');
	form.set('file', new Blob([new Uint8Array([0, 255])]), 'logo.bin');
	expect(await ask('POST', `${path}/files`, form)).toMatchObject({
		status: 201,
		data: { path: 'logo.bin', isBinary: true },
	});
	const gone = await ask('DELETE', `/files/${String(text.data?.id)}`);
	expect(gone).toMatchObject({ status: 200, data: { path: 'a.md', deleted: true } });
	expect((await ask('GET', path)).data?.files).toMatchObject([{ path: 'logo.bin' }]);
});

it('finds skills by words and by tags', async () => {
	const [one, two] = [refunds(), { ...refunds(), tags: ['Money', 'Shop'] }];
	const user = asUser(`api-${randomUUID()}`);
	await ask('POST', '', { ...one, content: 'Look at the voucher.' }, user);
	await ask('POST', '', two, user);
	const names = async (query: string) =>
		(await ask('GET', `${query}&include_public=false`, undefined, user)).data?.map(
			({ name }) => name,
		);
	expect(await names('?search=vouch')).toEqual([one.name]);
	expect(await names('?tags=money,shop')).toEqual([two.name]);
	expect(await names('?tags=money&search=nothing-like-it')).toEqual([]);
});

it('takes a form in the place of JSON', async () => {
	const { tags, ...skill } = refunds();
	const form = new URLSearchParams({ ...skill, tags: [...tags, 'shop'].join(), is_public: 'true' });
	const created = await ask('POST', '', form);
	expect(created).toMatchObject({
		status: 201,
		data: { name: skill.name, tags: ['money', 'shop'], isPublic: true },
	});
	const hide = new URLSearchParams({ is_public: 'false' });
	expect(await ask('PUT', `/${String(created.data?.id)}`, hide)).toMatchObject({
		status: 200,
		data: { isPublic: false, version: 2 },
	});
});

it('shows public skills to nobody in particular, and what is wrong with what is asked', async () => {
	const [open, hidden] = [{ ...refunds(), is_public: true }, refunds()];
	const ids: string[] = [];
	for (const skill of [open, hidden]) ids.push(String((await ask('POST', '', skill)).data?.id));
	const get = async (path: string) => await ask('GET', path, undefined, NOBODY);
	const names = (await get('?limit=500')).data?.map(({ name }) => name);
	expect(names).toContain(open.name);
	expect(names).not.toContain(hidden.name);
	expect(await get(`/${ids[0]}`)).toMatchObject({ status: 200, data: { name: open.name } });
	expect(await get(`/${ids[1]}`)).toMatchObject({ status: 404 });
	expect(await get(`/${randomUUID()}`)).toMatchObject({ status: 404 });
	expect(await get('?limit=many')).toMatchObject({ status: 400 });
});

it('takes true and false for "is_public", as text too, and nothing else', async () => {
	for (const [value, isPublic] of [
		[true, true],
		['true', true],
		[false, false],
		['false', false],
		[undefined, false],
	] as const) {
		const skill = { ...refunds(), is_public: value };
		expect(await ask('POST', '', skill)).toMatchObject({ status: 201, data: { isPublic } });
	}
	const { data } = await ask('POST', '', { ...refunds(), is_public: true });
	for (const value of ['no', 0, 'constructor', '']) {
		const wrong = { status: 400, success: false, error: expect.stringContaining('is_public') };
		expect(await ask('POST', '', { ...refunds(), is_public: value })).toMatchObject(wrong);
		const put = await ask('PUT', `/${String(data?.id)}`, { is_public: value });
		expect(put).toMatchObject(wrong);
	}
});

describe('what it refuses', () => {
	it.each([
		['a name that is not to the rules', 400, { ...refunds(), name: 'Not Valid!' }],
		['a skill without a description', 400, { name: 'x' }],
	])('%s: %d', async (_, status, body) => {
		expect(await ask('POST', '', body)).toMatchObject({
			status,
			success: false,
			error: expect.any(String),
		});
	});

	it('a name that is taken: 409', async () => {
		const skill = refunds();
		await ask('POST', '', skill);
		expect(await ask('POST', '', skill)).toMatchObject({ status: 409, success: false });
	});

	it('a change to a version that is not the newest: 409', async () => {
		const { data } = await ask('POST', '', refunds());
		const change = { content: 'x', version: 7 };
		expect(await ask('PUT', `/${String(data?.id)}`, change)).toMatchObject({ status: 409 });
	});

	it('the skill of somebody else, as if it were not there: 404', async () => {
		const { data } = await ask('POST', '', refunds());
		const denied = await ask('GET', `/${String(data?.id)}`, undefined, asUser('api-boris'));
		const absent = await ask('GET', `/${randomUUID()}`, undefined, asUser('api-boris'));
		expect(denied).toMatchObject({ status: 404, success: false });
		expect(denied).toEqual(absent);
	});

	it('to change the skill or a file of somebody else, as if they were not there: 404', async () => {
		const { data } = await ask('POST', '', { ...refunds(), is_public: true });
		const path = `/${String(data?.id)}`;
		const file = await ask('POST', `${path}/files`, { path: 'a.md', content: 'Alpha.' });
		const boris = asUser('api-boris');
		const refused = [
			await ask('PUT', path, { content: 'Mine.' }, boris),
			await ask('DELETE', path, undefined, boris),
			await ask('POST', `${path}/files`, { path: 'b.md', content: 'Beta.' }, boris),
			await ask('DELETE', `/files/${String(file.data?.id)}`, undefined, boris),
		];
		for (const answer of refused) expect(answer).toMatchObject({ status: 404, success: false });
		const left = await ask('GET', path);
		expect(left).toMatchObject({ data: { version: 2, content: 'Pay it back.' } });
		expect(left.data?.files).toMatchObject([{ path: 'a.md' }]);
	});

	it('a file that is too large: 413', async () => {
		const { data } = await ask('POST', '', refunds());
		const content = 'x'.repeat(MAX_FILE_BYTES + 1);
		const answer = await ask('POST', `/${String(data?.id)}/files`, { path: 'a.md', content });
		expect(answer).toMatchObject({ status: 413, success: false, error: expect.any(String) });
	});

	it('to write for nobody: 401', async () => {
		const refused = [
			await ask('POST', '', refunds(), NOBODY),
			await ask('PUT', `/${randomUUID()}`, { content: 'x' }, NOBODY),
			await ask('DELETE', `/${randomUUID()}`, undefined, NOBODY),
			await ask('DELETE', `/files/${randomUUID()}`, undefined, NOBODY),
		];
		for (const answer of refused) {
			expect(answer).toMatchObject({
				status: 401,
				success: false,
				error: expect.stringContaining('X-User-Id'),
			});
		}
	});

	it('everything while the database is away, without saying where it is: 500', async () => {
		const type = 'agentSkillsPostgresApi';
		const data = { host: LOOPBACK, port: await freePort(), database: 'secret-base' };
		const more = { user: 'secret-user', password: 'x', ssl: 'disable', schema: 'secret-schema' };
		const id = await bench.client.createCredential('Away', type, { ...data, ...more });
		const away = await serve((workflow) => {
			for (const node of workflow.nodes.filter(({ type: one }) => one.endsWith('skillLibrary'))) {
				node.parameters.database = 'postgres';
				node.credentials = { [type]: { id, name: 'Away' } };
			}
		}, 'library-away');
		const answers = [
			await ask('GET', '', undefined, asUser('api-anna'), away),
			await ask('POST', '', refunds(), asUser('api-anna'), away),
		];
		const error = 'The skill library does not work at the moment.';
		expect(answers).toEqual([
			{ status: 500, success: false, error },
			{ status: 500, success: false, error },
		]);
	});

	it('whoever does not know the secret: 403', async () => {
		expect((await ask('GET', '', undefined, { 'x-user-id': 'api-anna' })).status).toBe(403);
		const wrong = { ...asUser('api-anna'), [KEY.name]: 'wrong' };
		expect((await ask('GET', '', undefined, wrong)).status).toBe(403);
	});
});
