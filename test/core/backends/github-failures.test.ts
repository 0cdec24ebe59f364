import type { ServerResponse } from 'node:http';

import { createGithubBackend } from '../../../nodes/core/backends';
import { expire } from '../../../nodes/core/remote';
import type { SkillBackend } from '../../../nodes/core/types';
import { setOf, skillTree } from '../support';
import { errorOf, GithubBench, names, textOf, type Wish } from './github-bench';
import { GithubServer } from './github-server';

const bench = new GithubBench();

describe('GitHub: what cannot be had says what to do', () => {
	const problem = async (wish: Wish = {}) => {
		const error = await errorOf(bench.open(wish).list('/'));
		return `${error.code}: ${error.message} ${error.hint ?? ''}`;
	};

	it('an unknown repository: check the names, add a token', async () => {
		expect(await problem()).toMatch(
			/^source-denied: .*\(404\).*owner and the name.*add a credential/,
		);
	});

	it('with a token: check what the token may read', async () => {
		const text = await problem({ token: 'ghp_secret', ref: 'v1' });
		expect(text).toMatch(/"v1"; and that the token may read/);
		expect(text).toContain('/api/v3');
	});

	it('an unknown branch', async () => {
		bench.create({});
		expect(await problem({ ref: 'nope' })).toMatch(/^source-denied: .*"nope".*default branch/);
	});

	it('an unknown commit', async () => {
		bench.create({});
		expect(await problem({ ref: 'a'.repeat(40) })).toMatch(/^source-denied: .*the branch, tag or/);
	});

	it('an empty repository: it is empty', async () => {
		bench.create();
		const { diagnostics, sources } = await setOf(bench.open()).refresh();
		expect(diagnostics).toMatchObject([{ code: 'source-empty' }]);
		expect(sources[0]).not.toHaveProperty('revision');
	});

	it('a repository that is no longer empty is seen', async () => {
		const repository = bench.create();
		const backend = bench.open();
		await names(setOf(backend));
		repository.push(skillTree({ alpha: 'a' }));
		expire(backend.id);
		expect(await names(setOf(backend))).toEqual(['alpha']);
	});

	it.each([
		[
			'single sign-on',
			403,
			{ 'X-GitHub-SSO': 'required; url=x' },
			/^source-denied: .*single sign-on/,
		],
		['forbidden', 403, {}, /^source-denied: .*\(403\)/],
		['legal reasons', 451, {}, /^source-denied: .*\(451\)/],
		['a broken server', 502, {}, /^source-unreadable: .*502.*githubstatus/],
		['something odd', 418, {}, /^source-unreadable: .*418/],
		['no ETag, but 304', 304, {}, /^source-unreadable: .*no commit/],
	])('%s', async (_, status, headers, expected) => {
		bench.server.fault = (__, response) => {
			response.writeHead(status, headers as Record<string, string>).end();
			return true;
		};
		expect(await problem()).toMatch(expected);
	});

	it('a page that is not the API', async () => {
		bench.server.fault = (_, response) => {
			response.end('<html>Sign in</html>');
			return true;
		};
		expect(await problem()).toMatch(/^source-unreadable: .*not one of the GitHub API.*api\/v3/);
		expect(await problem({ ref: 'b'.repeat(40) })).toContain('not one of the GitHub API');
	});

	it('JSON that is not a tree', async () => {
		bench.server.fault = (_, response) => {
			response.end('null');
			return true;
		};
		expect(await problem({ ref: 'c'.repeat(40) })).toContain('not one of the GitHub API');
	});

	it('a bench.server that is gone, by what happened', async () => {
		bench.server.fault = (request) => {
			request.socket.destroy();
			return true;
		};
		expect(await problem()).toMatch(/^source-unreadable: GitHub could not be reached: /);
		expect(bench.server.requests).toHaveLength(3);
	});

	it('passes on what is no failure of the network', async () => {
		const client = async () => await Promise.reject(new TypeError('a bug'));
		const repository = { apiUrl: bench.server.url, owner: 'octo', name: bench.name, ref: '' };
		const backend = createGithubBackend({
			client,
			repository,
			sources: [],
			identity: '',
			refreshMs: 0,
		});
		await expect(backend.list('/')).rejects.toThrow(TypeError);
	});
});

describe('GitHub: the limit of requests', () => {
	// Who is limited is remembered by token, so each test has one of its own.
	const limited = (token: string) => {
		bench.server.tokens.add(token);
		bench.server.remaining = 0;
		return bench.open({ token });
	};
	const messageOf = async (backend: SkillBackend) => {
		const { diagnostics } = await setOf(backend).refresh();
		expect(diagnostics).toMatchObject([{ code: 'source-rate-limited' }]);
		return diagnostics[0].message;
	};

	it('is told with the time of its end', async () => {
		bench.create(skillTree({ alpha: 'a' }));
		const message = await messageOf(limited('t1'));
		const time = new Date(bench.server.reset * 1000).toISOString().slice(0, 16).replace('T', ' ');
		expect(message).toContain(`until ${time} UTC`);
		expect(message).toContain('Check for Changes Every');
	});

	it('is respected: nothing more is asked before, for whatever repository', async () => {
		bench.create(skillTree({ alpha: 'a' }));
		const backend = limited('t2');
		await messageOf(backend);
		bench.server.takePaths();
		bench.server.create('octo/other', skillTree({ beta: 'b' }));
		await messageOf(bench.open({ token: 't2', name: 'other' }));
		expect(bench.server.takePaths()).toEqual([]);
	});

	it('in the middle of a scan keeps the skills that were read', async () => {
		bench.create(skillTree({ alpha: 'a', beta: 'b', gamma: 'c' }));
		bench.server.tokens.add('t3');
		bench.server.remaining = 3;
		const { skills, diagnostics } = await setOf(bench.open({ token: 't3' })).refresh();
		expect(skills).toHaveLength(1);
		expect(diagnostics).toHaveLength(2);
		expect(diagnostics[0].message).toContain('GitHub allows no further requests until');
	});

	it('leaves the last good copy in use', async () => {
		bench.create(skillTree({ alpha: 'a' }));
		bench.server.tokens.add('t4');
		const backend = bench.open({ token: 't4' });
		await names(setOf(backend));
		bench.server.remaining = 0;
		expire(backend.id);
		const skills = setOf(backend);
		const snapshot = await skills.refresh();
		expect(snapshot.diagnostics).toMatchObject([{ code: 'source-stale' }]);
		expect(await skills.load(snapshot.skills[0])).toMatchObject({ body: '\n# alpha\n' });
	});

	it.each([
		['429 with retry-after', 429, { 'Retry-After': '90' }, '', 90],
		['403 with retry-after', 403, { 'Retry-After': '30' }, '', 30],
		['a text alone', 403, {}, 'You have exceeded a secondary rate limit.', 60],
		['429 alone', 429, {}, '', 60],
	])('is known by %s', async (_, status, headers, body, seconds) => {
		bench.server.fault = (__, response) => {
			response.writeHead(status, headers as Record<string, string>).end(body);
			return true;
		};
		const before = Date.now() + seconds * 1000;
		const message = await messageOf(bench.open({ token: `t-${status}-${seconds}` }));
		const until = Date.parse(/until (\S+ \S+) UTC/.exec(message)?.[1].replace(' ', 'T') + 'Z');
		expect(until).toBeGreaterThan(before - 61_000);
		expect(until).toBeLessThan(before + 61_000);
	});

	it('of a node without a token: add one', async () => {
		bench.create(skillTree({ alpha: 'a' }));
		bench.server.remaining = 0;
		bench.server.reset = Math.floor(Date.now() / 1000) - 1;
		expect(await messageOf(bench.open())).toMatch(/Add a credential.*5,000 requests an hour/);
		bench.server.reset += 1800;
	});
});

describe('GitHub: a renamed repository', () => {
	it('is found under its old name, with the token', async () => {
		bench.create(skillTree({ alpha: 'a' })).isPrivate = true;
		bench.server.rename(`octo/${bench.name}`, `octo/${bench.name}-new`);
		const backend = bench.open({ token: 'ghp_secret' });
		expect(await names(setOf(backend))).toEqual(['alpha']);
		expire(backend.id);
		bench.server.requests.length = 0;
		await names(setOf(backend));
		expect(bench.server.requests.map(({ status }) => status)).toEqual([301, 304]);
	});

	it('sends the token to no other place', async () => {
		const other = await GithubServer.start();
		other.create(`octo/${bench.name}`, skillTree({ alpha: 'a' }));
		bench.server.fault = ({ url }, response) => {
			response.writeHead(301, { Location: other.url + url }).end();
			return true;
		};
		await names(setOf(bench.open({ token: 'ghp_secret' })));
		expect(other.requests.length).toBeGreaterThan(0);
		expect(other.requests.filter(({ headers }) => headers.authorization)).toEqual([]);
		await other.stop();
	});
});

describe('GitHub: what comes is checked', () => {
	const corrupt = (write: (response: ServerResponse) => void) => {
		bench.server.fault = ({ url = '' }, response) => {
			if (!url.includes('/blobs/')) return false;
			write(response);
			return true;
		};
	};

	it('a file that is not the one of the commit is refused', async () => {
		bench.create({ 'a.txt': 'right' });
		corrupt((response) => response.end('wrong'));
		expect(await textOf(bench.open(), '/a.txt')).toMatch(
			/^unreadable: .*not the one that the commit names/,
		);
		bench.server.fault = null;
		expect(await textOf(bench.open(), '/a.txt')).toBe('right');
	});

	it('a file that is cut off is refused', async () => {
		bench.create({ 'a.txt': 'right' });
		corrupt((response) => {
			response.writeHead(200, { 'Content-Length': '5' }).write('ri');
			setTimeout(() => response.destroy(), 10);
		});
		expect(await textOf(bench.open(), '/a.txt')).toMatch(/^unreadable: /);
	});

	it('a gigantic answer is refused', async () => {
		bench.create({ 'a.txt': 'right' });
		corrupt((response) => response.end('x'.repeat(1_000_000)));
		expect(await textOf(bench.open(), '/a.txt')).toMatch(/^unreadable: .*too many bytes/);
	});

	it('entries of a tree that are odd, or whose path has tricks, are left out', async () => {
		bench.create({ 'good/a.txt': 'a' });
		const sha = 'a'.repeat(40);
		const item = (path: unknown, more = {}) => ({
			path,
			mode: '100644',
			type: 'blob',
			sha,
			...more,
		});
		const tree = [
			item('good', { type: 'tree' }),
			item('good/a.txt'),
			item('../x'),
			item('a\\b'),
			item(7),
			null,
			item('odd', { sha: '../../user' }),
			item('huge', { size: '9' }),
			item('other', { type: 'tag' }),
			item('orphan/file'),
		];
		bench.server.fault = ({ url = '' }, response) => {
			if (!url.includes('/trees/')) return false;
			response.end(JSON.stringify({ tree, truncated: false }));
			return true;
		};
		const backend = bench.open();
		expect((await backend.list('/'))?.map(({ path }) => path)).toEqual(['/good']);
		expect((await backend.list('/good'))?.map(({ path }) => path)).toEqual(['/good/a.txt']);
	});
});

describe('GitHub: when it is down', () => {
	const down = () => {
		bench.server.fault = (_, response) => {
			response.writeHead(503).end();
			return true;
		};
	};

	it('offers the last good copy, marked stale, and reads what is remembered', async () => {
		const repository = bench.create({ ...skillTree({ alpha: 'a' }), 'alpha/more.txt': 'more' });
		const backend = bench.open();
		await names(setOf(backend));
		down();
		expire(backend.id);
		const skills = setOf(backend);
		const snapshot = await skills.refresh();
		expect(snapshot.sources).toMatchObject([
			{ status: 'stale', revision: repository.resolve('HEAD') },
		]);
		expect(await skills.load(snapshot.skills[0])).toMatchObject({ body: '\n# alpha\n' });
		const [file] = await skills.readFiles(snapshot.skills[0], ['more.txt'], 100);
		expect(file).toMatchObject({ error: 'unreadable', message: expect.stringContaining('503') });
	});

	it('reads nothing where nothing is known', async () => {
		down();
		expect(await textOf(bench.open(), '/alpha/SKILL.md')).toMatch(/^unreadable: .*503/);
	});
});
