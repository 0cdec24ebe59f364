import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Workflow } from '../../../examples/demo/client';
import { REPOSITORY } from '../../../examples/demo/pack';
import { openBench, type Bench } from '../support/bench';
import { readWorld } from '../support/world';

const KEY = { name: 'X-Api-Key', value: 'only for tests' };
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

async function ask(
	method: string,
	path: string,
	body?: object,
	headers: Record<string, string> = { [KEY.name]: KEY.value, 'x-user-id': 'api-anna' },
): Promise<Answer> {
	const isForm = body instanceof FormData;
	const answer = await fetch(`${skills}${path}`, {
		method,
		headers: isForm ? headers : { 'content-type': 'application/json', ...headers },
		body: body === undefined || isForm ? (body as FormData | undefined) : JSON.stringify(body),
	});
	const text = await answer.text();
	try {
		return { status: answer.status, ...(JSON.parse(text) as object) };
	} catch {
		return { status: answer.status, error: text };
	}
}

const asUser = (user: string) => ({ [KEY.name]: KEY.value, 'x-user-id': user });
const refunds = () => ({
	name: `refunds-${randomUUID().slice(0, 8)}`,
	description: 'Does refunds.',
	content: 'Pay it back.',
	tags: ['money'],
});

beforeAll(async () => {
	bench = await openBench();
	const file = join(REPOSITORY, 'examples', 'skill-library-api.json');
	const workflow = JSON.parse(readFileSync(file, 'utf8')) as Workflow;
	const id = await bench.client.createCredential('API key', 'httpHeaderAuth', KEY);
	for (const node of workflow.nodes.filter(({ type }) => type.endsWith('.webhook'))) {
		node.credentials = { httpHeaderAuth: { id, name: 'API key' } };
	}
	const { id: workflowId } = await bench.client.createWorkflow(workflow);
	await bench.client.activate(workflowId);
	skills = `${readWorld().url}/webhook/skill-library/skills`;
	const deadline = Date.now() + WAIT_FOR_WEBHOOK_MS;
	while ((await ask('GET', '')).status === 404 && Date.now() < deadline) {
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
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

	it('to write for nobody: 401', async () => {
		const nobody = { [KEY.name]: KEY.value };
		expect(await ask('POST', '', refunds(), nobody)).toMatchObject({
			status: 401,
			success: false,
			error: expect.stringContaining('X-User-Id'),
		});
	});

	it('whoever does not know the secret: 403', async () => {
		expect((await ask('GET', '', undefined, { 'x-user-id': 'api-anna' })).status).toBe(403);
		const wrong = { ...asUser('api-anna'), [KEY.name]: 'wrong' };
		expect((await ask('GET', '', undefined, wrong)).status).toBe(403);
	});
});
