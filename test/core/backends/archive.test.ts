import {
	createArchiveBackend,
	createRemoteArchiveBackend,
	type ArchiveFile,
} from '../../../nodes/core/backends';
import { createHttpClient, type HttpExchange } from '../../../nodes/core/http';
import { MAX_ARCHIVE_BYTES } from '../../../nodes/core/limits';
import { clearRegistryCache } from '../../../nodes/core/registry';
import { clearRemoteCache, unpacked } from '../../../nodes/core/remote';
import type { SkillBackend } from '../../../nodes/core/types';
import { rawZip, tarGzOf, zipOf } from '../archives';
import { plainExchange, startSite, stopSites, type Site } from '../sites';
import { load, setOf, skillText, toolContext, type Tree } from '../support';
import { describeBackendContract } from './contract';
import { insideFolder } from './inside';

const HOUR_MS = 3_600_000;

beforeEach(() => {
	clearRemoteCache();
	clearRegistryCache();
});
afterEach(stopSites);

const inMemory = (content: Uint8Array, name = 'team.zip'): ArchiveFile => ({
	name,
	content,
	folder: `/${name}`,
});

function open(
	url: string,
	more: { refreshMs?: number; identity?: string; exchange?: HttpExchange } = {},
): SkillBackend {
	const { exchange = plainExchange, refreshMs = HOUR_MS, identity } = more;
	const client = createHttpClient(
		exchange,
		url,
		async () => 'public' as const,
		async () => undefined,
	);
	return createRemoteArchiveBackend({ url, client, refreshMs, identity });
}

async function look(backend: SkillBackend, path = '/') {
	const { skills, diagnostics, sources } = await setOf(backend, {
		sources: [{ path, label: 'Test' }],
	}).refresh();
	return {
		names: skills.map(({ name }) => name),
		directories: skills.map(({ directory }) => directory),
		codes: diagnostics.map(({ code }) => code),
		messages: diagnostics.map(({ message }) => message).join('\n'),
		status: sources[0].status,
	};
}

describeBackendContract('archive', async (tree) => {
	const make = async (files: Tree) =>
		insideFolder(createArchiveBackend([inMemory(await zipOf(files))]), '/team.zip');
	return {
		backend: await make(tree),
		change: async (changes) => await make({ ...tree, ...changes }),
	};
});

describeBackendContract('archive on a server', async (tree) => {
	const site = await startSite();
	const put = async (files: Tree) =>
		site.pages.set('/skills.tar.gz', { body: await tarGzOf(files) });
	await put(tree);
	const backend = open(`${site.url}/skills.tar.gz`, { refreshMs: 0 });
	return {
		backend,
		change: async (changes) => {
			await put({ ...tree, ...changes });
			return backend;
		},
	};
});

describe('archives in memory', () => {
	it('give a single skill a folder with its name', async () => {
		const archive = inMemory(await zipOf({ 'SKILL.md': skillText('pdf') }), 'download (1).skill');
		const { names, directories, codes } = await look(
			createArchiveBackend([archive]),
			'/download (1).skill',
		);
		expect(names).toEqual(['pdf']);
		expect(directories).toEqual(['/download (1).skill/pdf']);
		expect(codes).toEqual([]);
	});

	it.each([
		['broken.skill', '/broken'],
		['', '/skill'],
		['...', '/skill'],
		['a/b.zip', '/skill'],
	])('call the folder of a broken skill in %j %j', async (name, folder) => {
		const content = await zipOf({ 'SKILL.md': 'no frontmatter' });
		const backend = createArchiveBackend([{ name, content, folder: '/x' }]);
		expect(await backend.list('/x')).toEqual([{ path: `/x${folder}`, isDirectory: true }]);
	});

	it('stand side by side, each in its folder', async () => {
		const backend = createArchiveBackend([
			inMemory(await zipOf({ 'SKILL.md': skillText('a') }), 'a.skill'),
			inMemory(await tarGzOf({ 'SKILL.md': skillText('b') }), 'b.tgz'),
		]);
		expect(await backend.list('/')).toEqual([
			{ path: '/a.skill', isDirectory: true },
			{ path: '/b.tgz', isDirectory: true },
		]);
		expect(await backend.read(['/', '/nowhere/x', '/a.skill'], 10)).toMatchObject([
			{ error: 'not_a_file' },
			{ error: 'not_found' },
			{ error: 'not_a_file' },
		]);
		expect(await backend.list('/nowhere')).toBeNull();
	});

	it('are one place for the same bytes, another for others', async () => {
		const one = await zipOf({ 'SKILL.md': 'x' });
		const id = createArchiveBackend([inMemory(one)]).id;
		expect(createArchiveBackend([inMemory(Buffer.from(one))]).id).toBe(id);
		expect(createArchiveBackend([inMemory(one, 'b.zip')]).id).not.toBe(id);
		const other = await zipOf({ 'SKILL.md': 'y' });
		expect(createArchiveBackend([inMemory(other)]).id).not.toBe(id);
	});

	it('are unpacked once', async () => {
		const spy = jest.spyOn(unpacked, 'get');
		const content = await zipOf({ 'SKILL.md': skillText('pdf') });
		await look(createArchiveBackend([inMemory(content)]), '/team.zip');
		const [first] = await Promise.all(spy.mock.results.map(async ({ value }) => await value));
		await look(createArchiveBackend([inMemory(content)]), '/team.zip');
		const all = await Promise.all(spy.mock.results.map(async ({ value }) => await value));
		expect(all.length).toBeGreaterThan(1);
		expect(all.every((files) => files === first)).toBe(true);
		spy.mockRestore();
	});

	it('that are refused say which entry it was, and harm no other', async () => {
		const backend = createArchiveBackend([
			inMemory(rawZip([{ name: '../evil.md' }]), 'evil.zip'),
			inMemory(await zipOf({ 'SKILL.md': skillText('good') }), 'good.zip'),
		]);
		const sources = ['/evil.zip', '/good.zip'].map((path) => ({ path, label: path }));
		const { skills, diagnostics } = await setOf(backend, { sources }).refresh();
		expect(skills.map(({ name }) => name)).toEqual(['good']);
		expect(diagnostics).toMatchObject([
			{ code: 'archive-refused', message: expect.stringContaining('its entry "../evil.md"') },
		]);
		expect(await backend.read(['/evil.zip/x'], 10)).toMatchObject([{ error: 'unreadable' }]);
	});
});

describe('an archive on a server', () => {
	let site: Site;
	let url: string;
	const put = (body: Uint8Array, more = {}) => site.pages.set('/skills.zip', { body, ...more });
	const statuses = () => site.requests.map(({ status }) => status);

	beforeEach(async () => {
		site = await startSite();
		url = `${site.url}/skills.zip`;
		put(await zipOf({ 'a/SKILL.md': skillText('a', 'x', 'Rule A.'), 'b/SKILL.md': 'no' }));
	});

	it('offers its skills, and loads them', async () => {
		const backend = open(`${url}#part`);
		expect(await look(backend)).toMatchObject({ names: ['a'], directories: [`${url}/a`] });
		expect(await load(toolContext(setOf(backend)), 'a')).toContain('Rule A.');
		expect(statuses()).toEqual([200]);
	});

	it('gives a single skill without a name that of the file, or of nothing', async () => {
		site.pages.set('/', { body: await zipOf({ 'SKILL.md': 'x' }) });
		expect(await open(site.url).list('/')).toMatchObject([{ path: '/archive' }]);
	});

	it('is asked again after the interval, by its ETag', async () => {
		const backend = open(url, { refreshMs: 0 });
		await look(backend);
		await look(backend);
		expect(new Set(statuses())).toEqual(new Set([200, 304]));
		put(await zipOf({ 'SKILL.md': skillText('new') }));
		expect(await look(backend)).toMatchObject({ names: ['new'] });
	});

	it('is asked by its date where it has no ETag', async () => {
		const modified = { 'last-modified': 'Wed, 21 Oct 2026 07:28:00 GMT' };
		put(await zipOf({ 'SKILL.md': skillText('a') }), { validators: false, headers: modified });
		const backend = open(url, { refreshMs: 0 });
		await look(backend);
		await look(backend);
		expect(statuses()).toContain(304);
	});

	it('that is down: the last good copy, and its files', async () => {
		const backend = open(url, { refreshMs: 0 });
		await look(backend);
		await site.stop();
		expect(await look(backend)).toMatchObject({ names: ['a'], status: 'stale' });
		const [result] = await backend.read(['/a/SKILL.md'], 1000);
		expect(result).toHaveProperty('content');
	});

	it('that became bad: the last good copy', async () => {
		const backend = open(url, { refreshMs: 0 });
		await look(backend);
		put(rawZip([{ name: '/etc/passwd' }]));
		const { names, codes, messages } = await look(backend);
		expect({ names, codes }).toEqual({ names: ['a'], codes: ['source-stale'] });
		expect(messages).toContain('has an absolute name');
	});

	it('is fetched again when other archives pushed it out of the memory', async () => {
		const backend = open(url);
		await look(backend);
		unpacked.clear();
		const [result] = await backend.read(['/a/SKILL.md'], 1000);
		expect(result).toHaveProperty('content');
		expect(statuses()).toEqual([200, 200]);
	});

	it('is fetched where it was never listed', async () => {
		const [result] = await open(url).read(['/a/SKILL.md'], 1000);
		expect(result).toHaveProperty('content');
	});

	it.each([
		[404, 'source-not-found'],
		[410, 'source-not-found'],
		[401, 'source-denied'],
		[403, 'source-denied'],
		[429, 'source-rate-limited'],
		[500, 'source-unreadable'],
	])('with status %d: %s', async (status, code) => {
		site.pages.set('/skills.zip', { status });
		expect(await look(open(url))).toMatchObject({ names: [], codes: [code] });
		const [result] = await open(url).read(['/a/SKILL.md'], 10);
		expect(result).toMatchObject({ error: 'unreadable' });
	});

	it('that is too large ends by the limit of bytes', async () => {
		const exchange: HttpExchange = async (request, options) => {
			expect(request.maxBytes).toBe(MAX_ARCHIVE_BYTES);
			return await plainExchange({ ...request, maxBytes: 100 }, options);
		};
		expect((await look(open(url, { exchange }))).messages).toContain('more than 100 bytes');
	});

	it('is another place for another credential', () => {
		expect(open(url, { identity: 'a' }).id).not.toBe(open(url, { identity: 'b' }).id);
	});

	it('does not show the query, which may hold a secret', () => {
		expect(open(`${url}?token=SECRET`).location).toBe(url);
	});

	it.each(['', 'skills.zip', 'ftp://example.com/x.zip'])('must have an address: %j', (address) => {
		expect(() =>
			createRemoteArchiveBackend({ url: address, client: jest.fn(), refreshMs: 0 }),
		).toThrow(expect.objectContaining({ code: 'source-invalid' }));
	});
});
