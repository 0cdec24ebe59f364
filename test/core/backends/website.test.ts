import { createWebsiteBackend } from '../../../nodes/core/backends';
import { createHttpClient, type HttpExchange } from '../../../nodes/core/http';
import {
	MAX_INDEX_BYTES,
	MAX_INDEXED_SKILLS,
	MAX_RESOURCE_FILE_BYTES,
} from '../../../nodes/core/limits';
import { clearRegistryCache } from '../../../nodes/core/registry';
import { clearRemoteCache } from '../../../nodes/core/remote';
import { indexUrls } from '../../../nodes/core/site/ask';
import type { SkillBackend } from '../../../nodes/core/types';
import { rawZip, tarGzOf, zipOf } from '../archives';
import {
	digest,
	plainExchange,
	publish,
	publishOld,
	putIndex,
	SCHEMA,
	startSite,
	stopSites,
	WELL_KNOWN,
	WELL_KNOWN_OLD,
	type Site,
} from '../sites';
import { load, setOf, skillText, toolContext, type Tree } from '../support';
import { describeBackendContract } from './contract';

const HOUR_MS = 3_600_000;
const INDEX = `${WELL_KNOWN}/index.json`;
const OLD_INDEX = `${WELL_KNOWN_OLD}/index.json`;
const noWait = async () => undefined;

beforeEach(() => {
	clearRemoteCache();
	clearRegistryCache();
});
afterEach(stopSites);

function open(
	url: string,
	more: { refreshMs?: number; identity?: string; exchange?: HttpExchange } = {},
): SkillBackend {
	const { exchange = plainExchange, refreshMs = HOUR_MS, identity } = more;
	const client = createHttpClient(exchange, url, async () => 'public' as const, noWait);
	return createWebsiteBackend({ url, client, refreshMs, identity });
}

const textOf = async (backend: SkillBackend, path: string) => {
	const [result] = await backend.read([path], MAX_RESOURCE_FILE_BYTES);
	if ('error' in result) return `${result.error}: ${result.message}`;
	return Buffer.from(result.content).toString();
};
const look = async (backend: SkillBackend) => {
	const snapshot = await setOf(backend).refresh();
	return {
		...snapshot,
		names: snapshot.skills.map(({ name }) => name),
		codes: snapshot.diagnostics.map(({ code }) => code),
		messages: snapshot.diagnostics.map(({ message }) => message).join('\n'),
	};
};

/** Gives back the backend as seen from inside one skill, so that one contract fits it. */
function inSkill(backend: SkillBackend, skill: string, hidden: string[] = []): SkillBackend {
	const isPath = (path: unknown): path is string =>
		typeof path === 'string' && path.startsWith('/');
	const whole = (path: string) => {
		if (!isPath(path)) return path;
		return path === '/' ? `/${skill}` : `/${skill}${path}`;
	};
	const short = (path: string) => (isPath(path) ? path.slice(skill.length + 1) || '/' : path);
	return {
		...backend,
		list: async (dir) => {
			const entries = await backend.list(whole(dir));
			const own = entries?.map((entry) => ({ ...entry, path: short(entry.path) })) ?? null;
			return own?.filter(({ path }) => !hidden.includes(path)) ?? null;
		},
		read: async (paths, maxBytes) => {
			const results = await backend.read(paths.map(whole), maxBytes);
			return results.map((one, at) => ({ ...one, path: paths[at] }));
		},
	};
}

describe.each([
	['tar.gz', tarGzOf],
	['zip', zipOf],
])('version 0.2.0', (format, pack) => {
	describeBackendContract(`website, archive (${format})`, async (tree) => {
		const site = await startSite();
		const put = async (files: Tree) => {
			publish(site, { all: await pack(files) });
			return inSkill(open(site.url, { refreshMs: 0 }), 'all');
		};
		return {
			backend: await put(tree),
			change: async (changes) => await put({ ...tree, ...changes }),
		};
	});
});

describe('version 0.1', () => {
	describeBackendContract(
		'website, single files',
		async (tree) => {
			const site = await startSite();
			// An entry must list a SKILL.md; the contract's tree has none at its root.
			publishOld(site, { all: { ...tree, 'SKILL.md': 'root' } });
			const backend = inSkill(open(site.url), 'all', ['/SKILL.md']);
			return { backend, change: async () => backend };
		},
		{ sizes: true, versions: true },
	);
});

describe('where the index is', () => {
	it.each([
		['https://example.com', [INDEX, OLD_INDEX]],
		['https://example.com/', [INDEX, OLD_INDEX]],
		['https://example.com/?a=1#b', [INDEX, OLD_INDEX]],
		['https://example.com/docs/', [`/docs${INDEX}`, `/docs${OLD_INDEX}`]],
		['https://example.com/.well-known/agent-skills', [INDEX]],
		['https://example.com/.well-known/skills/', [OLD_INDEX]],
		['https://example.com/my/list.json?v=2', ['/my/list.json?v=2']],
	])('%s', (address, paths) => {
		expect(indexUrls(address)).toEqual(paths.map((path) => `https://example.com${path}`));
	});

	it.each(['', 'example.com', 'file:///etc', 'https://u:p@example.com'])('not %j', (address) => {
		expect(() => open(address)).toThrow(expect.objectContaining({ code: 'source-invalid' }));
	});
});

describe('the catalog', () => {
	let site: Site;

	beforeEach(async () => {
		site = await startSite();
	});

	it('needs one request, however many skills there are', async () => {
		const many = Object.fromEntries(
			Array.from({ length: 500 }, (_, n) => [`skill-${n}`, skillText(`skill-${n}`)]),
		);
		publish(site, many);
		const { skills, codes } = await look(open(site.url));
		expect(skills).toHaveLength(500);
		expect(codes).toEqual([]);
		expect(site.paths()).toEqual([INDEX]);
	});

	it('has name, description, place and digest of the index', async () => {
		publish(site, { alpha: 'text' });
		const { skills, sources } = await look(open(site.url));
		expect(skills).toMatchObject([
			{
				name: 'alpha',
				description: 'Does alpha.',
				path: '/alpha/SKILL.md',
				directory: `${site.url}${WELL_KNOWN}/alpha`,
				contentHash: digest('text'),
			},
		]);
		expect(sources).toMatchObject([{ location: `${site.url}${WELL_KNOWN}/`, status: 'ok' }]);
	});

	it('asks again after the interval, and takes "not modified" for an answer', async () => {
		publish(site, { alpha: 'text' });
		const ask = async () => (await look(open(site.url, { refreshMs: 0 }))).names;
		expect([await ask(), await ask(), await ask()]).toEqual([['alpha'], ['alpha'], ['alpha']]);
		expect(site.requests.map(({ status }) => status)).toEqual([200, 304, 304]);
	});

	it('does the same by Last-Modified where there is no ETag', async () => {
		const headers = { 'last-modified': 'Tue, 01 Jan 2030 00:00:00 GMT' };
		publish(site, { alpha: 'text' });
		site.pages.set(INDEX, { ...(site.pages.get(INDEX) as object), headers, validators: false });
		const ask = async () => (await look(open(site.url, { refreshMs: 0 }))).names;
		expect([await ask(), await ask()]).toEqual([['alpha'], ['alpha']]);
		expect(site.requests.map(({ status }) => status)).toEqual([200, 304]);
	});

	it('sees what was added, changed and removed', async () => {
		const ask = async () => (await look(open(site.url, { refreshMs: 0 }))).skills;
		publish(site, { alpha: 'one', beta: 'two' });
		const [alpha] = await ask();
		publish(site, { alpha: 'changed', gamma: 'three' });
		const after = await ask();
		expect(after.map(({ name }) => name)).toEqual(['alpha', 'gamma']);
		expect(after[0].contentHash).not.toBe(alpha.contentHash);
	});

	it('asks a place once for calls at the same time', async () => {
		publish(site, { alpha: 'one' });
		await Promise.all(Array.from({ length: 9 }, async () => await open(site.url).list('/')));
		expect(site.requests).toHaveLength(1);
	});

	it('is not shared between credentials', async () => {
		publish(site, { alpha: 'one' });
		await open(site.url, { identity: 'a' }).list('/');
		publish(site, {});
		const entries = await open(site.url, { identity: 'b' }).list('/');
		expect(entries).toMatchObject([{ problem: { code: 'source-empty' } }]);
	});

	it('comes from an index at any address', async () => {
		publish(site, { alpha: 'one' }, { at: '/my' });
		const backend = open(`${site.url}/my/index.json`);
		expect((await look(backend)).names).toEqual(['alpha']);
		expect(await textOf(backend, '/alpha/SKILL.md')).toBe('one');
	});

	it('ignores fields that it does not know', async () => {
		const entry = { name: 'a', type: 'skill-md', description: 'x', url: 'a', digest: digest('') };
		putIndex(site, { $schema: SCHEMA, more: 1, skills: [{ ...entry, extra: {}, __proto__: {} }] });
		expect((await look(open(site.url))).names).toEqual(['a']);
	});
});

describe('an index that cannot be used', () => {
	let site: Site;

	beforeEach(async () => {
		site = await startSite();
	});

	it('of an unknown version is said to be so, and nothing of it is used', async () => {
		publish(site, { alpha: 'one' }, { schema: 'https://schemas.agentskills.io/discovery/9/x' });
		const { names, codes, messages, sources } = await look(open(site.url));
		expect({ names, codes }).toEqual({ names: [], codes: ['index-unsupported'] });
		expect(messages).toContain('discovery/9/x');
		expect(sources).toMatchObject([{ status: 'empty' }]);
	});

	it.each([[{}], [null], [7]])('nor with the "$schema" %j', async (schema) => {
		putIndex(site, { $schema: schema, skills: [] });
		expect((await look(open(site.url))).codes).toEqual(['index-unsupported']);
	});

	it.each([
		['{"skills": [', 'not JSON'],
		['', 'not JSON'],
		['[]', 'no list "skills"'],
		['null', 'no list "skills"'],
		[`{"$schema": "${SCHEMA}", "skills": {}}`, 'no list "skills"'],
	])('%j says why', async (body, why) => {
		putIndex(site, body);
		const { codes, messages } = await look(open(site.url));
		expect(codes).toEqual(['source-unreadable']);
		expect(messages).toContain(why);
	});

	it('lists no skills', async () => {
		publish(site, {});
		const { codes, messages } = await look(open(site.url));
		expect(codes).toEqual(['source-empty']);
		expect(messages).toContain('lists no skills');
	});

	it('is nowhere: both places are named', async () => {
		const { codes, messages, sources } = await look(open(site.url));
		expect(codes).toEqual(['source-not-found']);
		expect(messages).toContain(`${site.url}${INDEX} and ${site.url}${OLD_INDEX}`);
		expect(sources).toMatchObject([{ status: 'failed' }]);
	});

	it('is a page, as of sites that answer everything', async () => {
		const page = { body: '<html></html>', headers: { 'content-type': 'text/html' } };
		site.pages.set(INDEX, page);
		site.pages.set(OLD_INDEX, page);
		expect((await look(open(site.url))).codes).toEqual(['source-not-found']);
	});

	it.each([
		[401, 'source-denied'],
		[403, 'source-denied'],
		[429, 'source-rate-limited'],
		[500, 'source-unreadable'],
	])('status %d: %s', async (status, code) => {
		site.pages.set(INDEX, { status });
		expect((await look(open(site.url))).codes).toEqual([code]);
	});

	it('is gigantic', async () => {
		site.pages.set(INDEX, { body: Buffer.alloc(MAX_INDEX_BYTES + 1, ' ') });
		const { codes, messages } = await look(open(site.url));
		expect(codes).toEqual(['source-unreadable']);
		expect(messages).toContain(`more than ${MAX_INDEX_BYTES} bytes`);
	});

	it('never shows the query of its address, which may hold a secret', async () => {
		for (const body of ['', '{}', JSON.stringify({ $schema: 'x' })]) {
			clearRemoteCache();
			site.pages.set('/i.json?key=SECRET', { body });
			const { messages, sources } = await look(open(`${site.url}/i.json?key=SECRET`));
			expect(messages).toContain(site.url);
			expect(JSON.stringify([messages, sources])).not.toContain('SECRET');
		}
	});
});

describe('entries', () => {
	const good = {
		name: 'good',
		type: 'skill-md',
		description: 'Does good.',
		url: 'good/SKILL.md',
		digest: digest('good'),
	};

	it.each([
		['no object', 7, 'no object'],
		['null', null, 'no object'],
		['without name', { ...good, name: undefined }, '"name" is missing'],
		['name "../x"', { ...good, name: '../x' }, '"name" must be'],
		['name "a/b"', { ...good, name: 'a/b' }, '"name" must be'],
		['name "a\\b"', { ...good, name: 'a\\b' }, '"name" must be'],
		['name ".."', { ...good, name: '..' }, '"name" must be'],
		['name ".git"', { ...good, name: '.git' }, '"name" must be'],
		['name ""', { ...good, name: '' }, '"name" must be'],
		['name node_modules', { ...good, name: 'node_modules' }, '"name" must be'],
		['a long name', { ...good, name: 'a'.repeat(2000) }, '"name" must be'],
		['without type', { ...good, type: undefined }, '"type" is missing'],
		['unknown type', { ...good, type: 'bundle' }, '"type" must be'],
		['without description', { ...good, description: undefined }, '"description" is missing'],
		['empty description', { ...good, description: '  ' }, '"description" is empty'],
		['a list as description', { ...good, description: ['x'] }, '"description" is missing'],
		['without url', { ...good, url: undefined }, '"url" is missing'],
		['url of a file', { ...good, url: 'file:///etc/passwd' }, 'url is not http'],
		['url with a password', { ...good, url: 'https://u:p@example.com' }, 'url holds a password'],
		['no url', { ...good, url: 'http://' }, 'url is not a web address'],
		['without digest', { ...good, digest: undefined }, '"digest" is missing'],
		['short digest', { ...good, digest: 'sha256:abc' }, '"digest" must be'],
		['other digest', { ...good, digest: `md5:${'a'.repeat(64)}` }, '"digest" must be'],
	])('%s: left out and said why; the others stay', async (_, entry, why) => {
		const site = await startSite();
		publish(site, { alpha: 'one' }, { entries: [entry] });
		const { names, codes, messages } = await look(open(site.url));
		expect(names).toEqual(['alpha']);
		expect(codes).toEqual(['index-entry-invalid']);
		expect(messages).toContain(why);
		expect(messages.length).toBeLessThan(400);
	});

	it('that are hidden by name are not even complained about', async () => {
		const site = await startSite();
		publish(site, { alpha: 'one' }, { entries: [{ ...good, name: 'draft', url: 7 }] });
		const set = setOf(open(site.url), { isVisible: (name) => name !== 'draft' });
		expect((await set.refresh()).diagnostics).toEqual([]);
	});

	it('with names that are merely not to the rules are offered with a warning', async () => {
		const site = await startSite();
		publish(site, { 'My Skill': 'one' });
		const { names, codes } = await look(open(site.url));
		expect({ names, codes }).toEqual({ names: ['My Skill'], codes: ['name-invalid'] });
		expect(await textOf(open(site.url), '/My Skill/SKILL.md')).toBe('one');
	});

	it('twice: the last one is used, and it is said', async () => {
		const site = await startSite();
		publish(site, { good: 'first' }, { entries: [{ ...good, description: 'Second.' }] });
		const { skills, codes } = await look(open(site.url));
		expect(skills).toMatchObject([{ description: 'Second.' }]);
		expect(codes).toEqual(['skill-duplicate']);
	});

	it('are at most as many as the limit says', async () => {
		const site = await startSite();
		const entries = Array.from({ length: MAX_INDEXED_SKILLS + 1000 }, (_, n) => ({
			...good,
			name: `s-${n}`,
		}));
		putIndex(site, { $schema: SCHEMA, skills: entries });
		const { names, codes, messages } = await look(open(site.url));
		expect(names).toHaveLength(MAX_INDEXED_SKILLS);
		expect(codes).toEqual(['source-too-large']);
		expect(messages).toContain('3000');
	});
});

describe('addresses of artifacts', () => {
	const entry = (url: string) => ({
		name: 'alpha',
		type: 'skill-md',
		description: 'x',
		url,
		digest: digest('body'),
	});

	it.each([
		['relative', 'sub/file.md', `${WELL_KNOWN}/sub/file.md`],
		['upwards', '../../elsewhere.md', '/elsewhere.md'],
		['path-absolute', '/skills/a.md?v=1', '/skills/a.md?v=1'],
	])('%s: %s', async (_, url, path) => {
		const site = await startSite();
		publish(site, {}, { entries: [entry(url)] });
		site.pages.set(path, { body: 'body' });
		expect(await textOf(open(site.url), '/alpha/SKILL.md')).toBe('body');
	});

	it('of another server are asked without the credential', async () => {
		const [site, cdn] = [await startSite(), await startSite()];
		publish(site, {}, { entries: [entry(`${cdn.url}/a.md`)] });
		cdn.pages.set('/a.md', { body: 'body' });
		expect(await textOf(open(site.url), '/alpha/SKILL.md')).toBe('body');
		expect(site.requests[0].headers['x-secret']).toBe('SECRET');
		expect(cdn.requests[0].headers).not.toHaveProperty('x-secret');
	});

	it('count from where a redirect of the index led', async () => {
		const [site, cdn] = [await startSite(), await startSite()];
		site.pages.set(INDEX, { status: 301, headers: { location: `${cdn.url}/v2/index.json` } });
		publish(cdn, { alpha: 'body' }, { at: '/v2' });
		const backend = open(site.url);
		expect((await look(backend)).skills).toMatchObject([{ directory: `${cdn.url}/v2/alpha` }]);
		expect(await textOf(backend, '/alpha/SKILL.md')).toBe('body');
	});

	it('that are private are refused when the index is public', async () => {
		const index = { $schema: SCHEMA, skills: [entry('https://10.0.0.1/secret')] };
		const exchange: HttpExchange = async ({ url }) => {
			const body = Buffer.from(url.endsWith('index.json') ? JSON.stringify(index) : 'body');
			return { url, status: 200, headers: {}, body };
		};
		const url = 'https://1.1.1.1';
		const client = createHttpClient(exchange, url);
		const backend = createWebsiteBackend({ url, client, refreshMs: 0 });
		expect(await textOf(backend, '/alpha/SKILL.md')).toMatch(/^unreadable: .*private address/);
	});
});

describe('loading', () => {
	let site: Site;

	beforeEach(async () => {
		site = await startSite();
	});

	it('gives the instructions, by one request for the body', async () => {
		publish(site, { alpha: skillText('alpha', 'x', 'Rule A.'), beta: 'b' });
		const answer = await load(toolContext(setOf(open(site.url))), 'alpha');
		expect(answer).toContain('Rule A.');
		expect(answer).toContain(`dir="${site.url}${WELL_KNOWN}/alpha"`);
		expect(site.paths()).toEqual([INDEX, `${WELL_KNOWN}/alpha/SKILL.md`]);
	});

	it('asks for a body once, also for other nodes and later runs', async () => {
		publish(site, { alpha: 'text' });
		const read = async () => await textOf(open(site.url, { refreshMs: 0 }), '/alpha/SKILL.md');
		await Promise.all([read(), read(), read()]);
		await read();
		expect(site.paths().filter((path) => path.endsWith('SKILL.md'))).toHaveLength(1);
	});

	it('gives the files of an archive, and lists them', async () => {
		const files = {
			'SKILL.md': skillText('alpha', 'x', 'Rule A.'),
			'references/guide.md': 'guide',
			'scripts/run.py': 'print(1)',
		};
		publish(site, { alpha: await tarGzOf(files) });
		const set = setOf(open(site.url));
		const answer = await load(toolContext(set), 'alpha');
		expect(answer).toContain('Rule A.');
		expect(answer).toContain('- [script] `scripts/run.py`');
		expect(await textOf(open(site.url), '/alpha/references/guide.md')).toBe('guide');
		expect(site.requests).toHaveLength(2);
	});

	it.each(['skill-md', 'archive'])('refuses a wrong digest: %s', async (type) => {
		publish(site, { alpha: type === 'archive' ? await zipOf({ 'SKILL.md': 'x' }) : 'x' });
		for (const path of [`${WELL_KNOWN}/alpha/SKILL.md`, `${WELL_KNOWN}/alpha.tar.gz`]) {
			site.pages.set(path, { body: 'TAMPERED' });
		}
		const set = setOf(open(site.url));
		const answer = await load(toolContext(set), 'alpha');
		expect(answer).toMatch(/Failed to read .*digest mismatch/);
		expect(answer).not.toContain('TAMPERED');
		const { diagnostics } = await set.refresh();
		expect(diagnostics).toMatchObject([{ code: 'digest-mismatch', path: '/alpha/SKILL.md' }]);
	});

	it('after a wrong digest asks for the index anew: perhaps both just changed', async () => {
		publish(site, { alpha: 'old' });
		const set = setOf(open(site.url));
		const context = toolContext(set);
		await set.refresh();
		publish(site, { alpha: skillText('alpha', 'x', 'New rule.') });
		expect(await load(context, 'alpha')).toContain('digest mismatch');
		expect(await load(context, 'alpha')).toContain('New rule.');
		expect((await set.refresh()).diagnostics).toEqual([]);
	});

	it('no longer complains once the right file is there', async () => {
		publish(site, { alpha: 'right' });
		const backend = open(site.url);
		site.pages.set(`${WELL_KNOWN}/alpha/SKILL.md`, { body: 'wrong' });
		expect(await textOf(backend, '/alpha/SKILL.md')).toContain('digest mismatch');
		expect((await look(backend)).codes).toEqual(['digest-mismatch']);
		site.pages.set(`${WELL_KNOWN}/alpha/SKILL.md`, { body: 'right' });
		expect(await textOf(backend, '/alpha/SKILL.md')).toBe('right');
		expect((await look(backend)).codes).toEqual([]);
	});

	it('refuses a dangerous archive, and names its entry', async () => {
		publish(site, { alpha: rawZip([{ name: '../../evil.md' }]), beta: 'b' });
		const set = setOf(open(site.url));
		expect(await load(toolContext(set), 'alpha')).toContain('../../evil.md');
		const { diagnostics, skills } = await set.refresh();
		expect(diagnostics).toMatchObject([{ code: 'archive-refused' }]);
		expect(skills).toHaveLength(2);
	});

	it.each([
		[404, 'not_found: the site does not have the file'],
		[410, 'not_found: the site does not have the file'],
		[403, 'access_denied: The server refused access (status 403).'],
		[500, 'unreadable: The server answered with status 500.'],
	])('says what status %d means', async (status, message) => {
		publish(site, { alpha: 'text' });
		site.pages.set(`${WELL_KNOWN}/alpha/SKILL.md`, { status });
		expect(await textOf(open(site.url), '/alpha/SKILL.md')).toBe(message);
	});

	it('refuses a gigantic file', async () => {
		const body = Buffer.alloc(MAX_RESOURCE_FILE_BYTES + 1, 'x').toString();
		publish(site, { alpha: body });
		expect(await textOf(open(site.url), '/alpha/SKILL.md')).toMatch(/^too_large: /);
	});

	it('without any index says why', async () => {
		expect(await textOf(open(site.url), '/alpha/SKILL.md')).toContain('no index of skills');
	});

	it('keeps files of one credential from another, even by their digest', async () => {
		publish(site, { alpha: 'secret text' });
		await textOf(open(site.url, { identity: 'a' }), '/alpha/SKILL.md');
		site.pages.delete(`${WELL_KNOWN}/alpha/SKILL.md`);
		const other = await textOf(open(site.url, { identity: 'b' }), '/alpha/SKILL.md');
		expect(other).toContain('not_found');
	});
});

describe('when the site is down', () => {
	const down = async (site: Site) => {
		for (const path of site.pages.keys()) site.pages.set(path, { status: 503 });
		site.pages.set(INDEX, { status: 503 });
	};

	it('the last good copy is offered, marked stale, and known bodies are loaded', async () => {
		const site = await startSite();
		publish(site, { alpha: skillText('alpha', 'x', 'Rule A.'), beta: 'b' });
		const set = setOf(open(site.url, { refreshMs: 0 }));
		await load(toolContext(set), 'alpha');
		await down(site);
		const { skills, diagnostics, sources } = await set.refresh();
		expect(skills.map(({ name }) => name)).toEqual(['alpha', 'beta']);
		expect(diagnostics).toMatchObject([{ code: 'source-stale' }]);
		expect(diagnostics[0].message).toMatch(/status 503.*\d+ seconds old/);
		expect(sources).toMatchObject([{ status: 'stale' }]);
		expect(await load(toolContext(set), 'alpha')).toContain('Rule A.');
		expect(await load(toolContext(set), 'beta')).toContain('status 503');
	});

	it('it is not asked again at once: each tool call of a run would wait', async () => {
		const site = await startSite();
		publish(site, { alpha: 'text' });
		const set = setOf(open(site.url, { refreshMs: 0 }));
		await set.refresh();
		await down(site);
		await set.refresh();
		const asked = site.requests.length;
		await set.refresh();
		expect(site.requests).toHaveLength(asked);
	});

	it.each([404, 401])('but status %d is no outage: nothing is offered', async (status) => {
		const site = await startSite();
		publish(site, { alpha: 'text' });
		const set = setOf(open(site.url, { refreshMs: 0 }));
		await set.refresh();
		site.pages.set(INDEX, { status });
		expect((await set.refresh()).skills).toEqual([]);
	});
});

describe('version 0.1 in particular', () => {
	let site: Site;

	beforeEach(async () => {
		site = await startSite();
	});

	it('is found below /.well-known/skills, with files beside SKILL.md', async () => {
		const files = { 'SKILL.md': skillText('alpha', 'x', 'Rule A.'), 'references/a b.md': 'guide' };
		publishOld(site, { alpha: files });
		const set = setOf(open(site.url));
		const answer = await load(toolContext(set), 'alpha');
		expect(answer).toContain('Rule A.');
		expect(answer).toContain('- [reference] `references/a b.md`');
		expect(answer).toContain(`dir="${site.url}${WELL_KNOWN_OLD}/alpha"`);
		expect(await textOf(open(site.url), '/alpha/references/a b.md')).toBe('guide');
	});

	it('is also an index without "$schema" at the new place', async () => {
		publishOld(site, { alpha: { 'SKILL.md': 'text' } }, WELL_KNOWN);
		expect(await textOf(open(site.url), '/alpha/SKILL.md')).toBe('text');
	});

	it('has just a SKILL.md where no files are listed', async () => {
		putIndex(site, { skills: [{ name: 'alpha', description: 'x' }] }, WELL_KNOWN_OLD);
		expect(await open(site.url).list('/alpha')).toMatchObject([{ path: '/alpha/SKILL.md' }]);
	});

	it.each([
		['../x', '"files"'],
		['/etc/passwd', '"files"'],
		['a\\b', '"files"'],
		['a//b', '"files"'],
		[7, '"files"'],
	])('refuses an entry with the file %j', async (path, why) => {
		const skills = [{ name: 'alpha', description: 'x', files: ['SKILL.md', path] }];
		putIndex(site, { skills }, WELL_KNOWN_OLD);
		const { codes, messages } = await look(open(site.url));
		expect(codes).toEqual(['index-entry-invalid']);
		expect(messages).toContain(why);
	});

	it('refuses an entry without SKILL.md', async () => {
		const skills = [{ name: 'alpha', description: 'x', files: ['README.md'] }];
		putIndex(site, { skills }, WELL_KNOWN_OLD);
		expect((await look(open(site.url))).messages).toContain('must list SKILL.md');
	});

	it('reads files anew as often as the index, for they have no digest', async () => {
		jest.useFakeTimers({ doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'performance'] });
		try {
			publishOld(site, { alpha: { 'SKILL.md': 'old' } });
			const backend = open(site.url, { refreshMs: 1000 });
			expect(await textOf(backend, '/alpha/SKILL.md')).toBe('old');
			publishOld(site, { alpha: { 'SKILL.md': 'new' } });
			await backend.list('/');
			expect(await textOf(backend, '/alpha/SKILL.md')).toBe('old');
			jest.setSystemTime(Date.now() + 1000);
			await backend.list('/');
			expect(await textOf(backend, '/alpha/SKILL.md')).toBe('new');
		} finally {
			jest.useRealTimers();
		}
	});
});
