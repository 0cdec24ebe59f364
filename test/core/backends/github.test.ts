import { expire } from '../../../nodes/core/remote';
import { setOf, skillText, skillTree } from '../support';
import { describeBackendContract } from './contract';
import { errorOf, GithubBench, names, textOf } from './github-bench';

const bench = new GithubBench();

describeBackendContract('GitHub', async (tree) => {
	const repository = bench.create(tree);
	const backend = bench.open();
	return {
		backend,
		change: async (changes) => {
			repository.push(changes);
			expire(backend.id);
			return bench.open();
		},
	};
});

describe('GitHub: requests', () => {
	const TREE = skillTree({ alpha: 'a', beta: 'b', gamma: 'c' }, 'skills/');

	it('are one for the commit, one for all files, and one for each SKILL.md', async () => {
		bench.create(TREE);
		expect(await names(setOf(bench.open()))).toEqual(['alpha', 'beta', 'gamma']);
		expect(bench.kinds().sort()).toEqual(['blobs', 'blobs', 'blobs', 'commits', 'trees']);
	});

	it('are none at all within the interval, for whichever node asks', async () => {
		bench.create(TREE);
		await names(setOf(bench.open()));
		bench.server.takePaths();
		const skills = setOf(bench.open());
		const [alpha] = (await skills.refresh()).skills;
		await skills.load(alpha);
		await skills.resources(alpha);
		expect(bench.server.takePaths()).toEqual([]);
	});

	it('are one conditional one after the interval, when nothing changed', async () => {
		bench.create(TREE);
		const backend = bench.open();
		await names(setOf(backend));
		bench.server.takePaths();
		expire(backend.id);
		await names(setOf(backend));
		expect(bench.server.requests.map(({ status }) => status)).toEqual([304]);
		expect(bench.kinds()).toEqual(['commits']);
	});

	it('fetch just the changed file after a push', async () => {
		const repository = bench.create(TREE);
		const backend = bench.open();
		await names(setOf(backend));
		bench.server.takePaths();
		repository.push({ 'skills/beta/SKILL.md': skillText('beta', 'new') });
		expire(backend.id);
		const { skills } = await setOf(backend).refresh();
		expect(skills.map(({ description }) => description)).toEqual(['a', 'new', 'c']);
		expect(bench.kinds()).toEqual(['commits', 'trees', 'blobs']);
	});

	it('fetch no file when one was deleted or renamed', async () => {
		const repository = bench.create(TREE);
		const backend = bench.open();
		await names(setOf(backend));
		bench.server.takePaths();
		repository.push({ 'skills/beta/SKILL.md': null });
		expire(backend.id);
		expect(await names(setOf(backend))).toEqual(['alpha', 'gamma']);
		expect(bench.kinds()).toEqual(['commits', 'trees']);
	});

	it('fetch one content once, however many ask at the same time', async () => {
		bench.create({ 'a.txt': 'same', 'b.txt': 'same' });
		const backend = bench.open();
		await Promise.all([backend.read(['/a.txt', '/b.txt'], 10), backend.read(['/a.txt'], 10)]);
		expect(bench.kinds()).toEqual(['commits', 'trees', 'blobs']);
	});

	it('fetch nothing of a file that is too large', async () => {
		bench.create({ 'a.txt': 'x'.repeat(100) });
		expect(await textOf(bench.open(), '/a.txt')).toBe('x'.repeat(100));
		bench.kinds();
		const [result] = await bench.open().read(['/a.txt'], 99);
		expect(result).toMatchObject({ error: 'too_large' });
		expect(bench.kinds()).toEqual([]);
	});
});

describe('GitHub: branch, tag or commit', () => {
	it('is the default branch unless told', async () => {
		bench.create(skillTree({ alpha: 'a' })).push(skillTree({ beta: 'b' }), 'feature/x');
		expect(await names(setOf(bench.open()))).toEqual(['alpha']);
		expect(await names(setOf(bench.open({ ref: 'feature/x' })))).toEqual(['alpha', 'beta']);
	});

	it('can be a tag, or a short commit', async () => {
		const repository = bench.create();
		const old = repository.push(skillTree({ alpha: 'a' }));
		repository.refs.set('v1', old);
		repository.push(skillTree({ beta: 'b' }));
		expect(await names(setOf(bench.open({ ref: 'v1' })))).toEqual(['alpha']);
		expect(await names(setOf(bench.open({ ref: old.slice(0, 8) })))).toEqual(['alpha']);
	});

	it('is never asked for again when it is a whole commit', async () => {
		const repository = bench.create();
		const pinned = repository.push(skillTree({ alpha: 'a' }));
		repository.push(skillTree({ beta: 'b' }));
		const backend = bench.open({ ref: pinned });
		expect(await names(setOf(backend))).toEqual(['alpha']);
		expect(bench.kinds()).toEqual(['trees', 'blobs']);
		expire(backend.id);
		expect(await names(setOf(backend))).toEqual(['alpha']);
		expect(bench.kinds()).toEqual([]);
	});

	it('is shown in the report of its sources as the commit', async () => {
		const repository = bench.create();
		const commit = repository.push(skillTree({ alpha: 'a' }));
		const { sources } = await setOf(bench.open()).refresh();
		expect(sources).toMatchObject([{ revision: commit, location: `${place()}/` }]);
	});

	it('is shown anew even when no skill changed', async () => {
		const repository = bench.create(skillTree({ alpha: 'a' }));
		const backend = bench.open();
		const { sources: before } = await setOf(backend).refresh();
		const commit = repository.push({ 'README.md': 'new' });
		expire(backend.id);
		const { sources: after } = await setOf(backend).refresh();
		expect(before[0].revision).not.toBe(commit);
		expect(after[0].revision).toBe(commit);
	});

	it('is shown in the place, which has no commit, so that prompts stay the same', async () => {
		bench.create(skillTree({ alpha: 'a' })).refs.set('v1', 'x');
		expect(bench.open({ ref: 'v1' }).location).toBe(`${place()}@v1`);
	});

	const place = () => `${new URL(bench.server.url).host}:octo/${bench.name}`;
});

describe('GitHub: links and submodules', () => {
	it('are refused and reported', async () => {
		bench.create({
			...skillTree({ alpha: 'a' }),
			'alpha/secret.txt': '-> /etc/passwd',
			linked: '-> alpha',
			module: `=> ${'a'.repeat(40)}`,
		});
		const backend = bench.open();
		expect((await setOf(backend).refresh()).diagnostics.map(({ code }) => code)).toEqual([
			'link-outside',
			'link-outside',
		]);
		expect(await textOf(backend, '/alpha/secret.txt')).toMatch(/^access_denied: .*link/);
		expect(await textOf(backend, '/module')).toMatch(/^access_denied/);
		expect(await textOf(backend, '/linked/SKILL.md')).toMatch(/^not_found/);
	});

	it('are not among the resources of a skill', async () => {
		bench.create({ ...skillTree({ alpha: 'a' }), 'alpha/x.txt': '-> y', 'alpha/y.txt': '' });
		const skills = setOf(bench.open());
		const [alpha] = (await skills.refresh()).skills;
		expect(await skills.resources(alpha)).toEqual([{ type: 'other', path: 'y.txt' }]);
	});
});

describe('GitHub: a repository with more files than one listing gives', () => {
	const FILES = {
		...skillTree({ alpha: 'a', beta: 'b' }, 'deep/skills/'),
		'big/1': '',
		'big/2': '',
	};
	const wish = { sources: ['/deep/skills'] };
	const source = (path: string) => ({ sources: [{ path, label: 'Test' }] });

	it('is listed from the folder of the source', async () => {
		bench.create(FILES).treeLimit = 4;
		expect(await names(setOf(bench.open(wish), source('/deep/skills')))).toEqual(['alpha', 'beta']);
		expect(bench.kinds().slice(0, 5)).toEqual(['commits', 'trees', 'trees', 'trees', 'trees']);
		bench.server.takePaths();
		expect(await names(setOf(bench.open(wish), source('/deep/skills')))).toEqual(['alpha', 'beta']);
		expect(bench.kinds()).toEqual([]);
	});

	it('asks for a folder when the source is its root', async () => {
		bench.create(FILES).treeLimit = 4;
		const { diagnostics, sources } = await setOf(bench.open()).refresh();
		expect(sources[0].status).toBe('failed');
		expect(diagnostics).toMatchObject([
			{ code: 'source-invalid', message: expect.stringContaining('Name the folder') },
		]);
	});

	it('asks for a smaller folder when that is too large as well', async () => {
		bench.create(FILES).treeLimit = 3;
		const error = await errorOf(bench.open(wish).list('/deep/skills'));
		expect(error).toMatchObject({ code: 'source-invalid' });
		expect(await textOf(bench.open(wish), '/deep/skills/x')).toContain('Name the folder');
	});

	it('says so when there is no such folder', async () => {
		bench.create(FILES).treeLimit = 4;
		expect(await bench.open({ sources: ['/deep/none'] }).list('/deep/none')).toBeNull();
	});

	it('is listed from the innermost folder, beside its root and others', async () => {
		bench.create(FILES).treeLimit = 4;
		const backend = bench.open({ sources: ['/', '/deep', '/deep/skills'] });
		expect(await backend.list('/deep/skills')).toHaveLength(2);
		expect(await errorOf(backend.list('/'))).toMatchObject({ code: 'source-invalid' });
	});

	it('tries again when a listing failed', async () => {
		bench.create(FILES).treeLimit = 4;
		let failures = 0;
		bench.server.fault = ({ url = '' }, response) => {
			if (!url.includes('/trees/') || url.includes('recursive') || failures > 0) return false;
			failures++;
			response.writeHead(418).end();
			return true;
		};
		const backend = bench.open(wish);
		expect(await errorOf(backend.list('/deep/skills'))).toMatchObject({
			code: 'source-unreadable',
		});
		expect(await backend.list('/deep/skills')).toHaveLength(2);
	});
});

describe('GitHub: a private repository', () => {
	const make = () => {
		const repository = bench.create(skillTree({ alpha: 'a' }));
		repository.isPrivate = true;
	};

	it('is read with a token', async () => {
		make();
		expect(await names(setOf(bench.open({ token: 'ghp_secret' })))).toEqual(['alpha']);
		expect(bench.server.requests.every(({ headers }) => headers.authorization)).toBe(true);
	});

	it('is not shown to a node without one, even after another node has read it', async () => {
		make();
		const allowed = bench.open({ token: 'ghp_secret' });
		await names(setOf(allowed));
		const other = bench.open();
		expect(other.id).not.toBe(allowed.id);
		expect(await names(setOf(other))).toEqual([]);
		expect(await textOf(other, '/alpha/SKILL.md')).toMatch(/^unreadable/);
	});

	it('is no longer served from memory once the token was revoked', async () => {
		make();
		const backend = bench.open({ token: 'ghp_secret' });
		await names(setOf(backend));
		bench.server.tokens.delete('ghp_secret');
		expire(backend.id);
		const { skills, diagnostics } = await setOf(backend).refresh();
		bench.server.tokens.add('ghp_secret');
		expect(skills).toEqual([]);
		expect(diagnostics).toMatchObject([{ code: 'source-denied' }]);
		expect(diagnostics[0].message).toMatch(/refused the token.*Make a new token/);
		expect(await textOf(backend, '/alpha/SKILL.md')).toMatch(/^unreadable/);
	});
});
