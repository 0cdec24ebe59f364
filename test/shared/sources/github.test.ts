import { picture } from '../../engine/support/picture';
import {
	githubCredentials,
	githubSource,
	TOKEN,
	withGithubCredential,
} from '../../engine/support/github';
import { host, supplyContext } from '../support/contexts';
import { sourcePackage } from '../support/sources';

import type { IDataObject } from 'n8n-workflow';

import { createSkillSet } from '../../../nodes/core/skillset';
import { expire } from '../../../nodes/core/remote';
import { readSource } from '../../../nodes/shared/source';
import { GithubServer, type ServedRepository } from '../../core/backends/github-server';
import { skillTree } from '../../core/support';

let server: GithubServer;
let repository: ServedRepository;

beforeEach(async () => {
	sourcePackage().forgetEverything();
	server = await GithubServer.start();
	host.credentialsHelper = githubCredentials(server.url);
	repository = server.create('octo/skills', skillTree({ alpha: 'a', beta: 'b' }, 'team/skills/'));
});

afterEach(async () => {
	host.credentialsHelper = {};
	await server.stop();
});

const WITH_TOKEN = { githubAuthentication: 'token', githubApiUrl: 'http://127.0.0.1:1' };

/** Gives back what a Skills Source over GitHub opens, in n8n's own context. */
async function open(more: IDataObject = {}) {
	const flow = withGithubCredential(picture({ source: githubSource(server.url, more) }));
	return await readSource(supplyContext(flow, { node: 'Source' }), 0, undefined);
}

const look = async (more: IDataObject = {}) => {
	const opened = await open(more);
	const snapshot = await createSkillSet(opened).refresh(true);
	return { ...snapshot, names: snapshot.skills.map(({ name }) => name), opened };
};

const folders = (...folder: IDataObject[]) => ({ repositoryFolders: { folder } });

describe('a Skills Source over GitHub', () => {
	it('reads a public repository without a credential', async () => {
		const { names, sources } = await look();
		expect(names).toEqual(['alpha', 'beta']);
		expect(sources).toMatchObject([
			{ label: 'Skills', status: 'ok', revision: repository.resolve('HEAD') },
		]);
		expect(server.requests.some(({ headers }) => headers.authorization)).toBe(false);
	});

	it('reads a private repository with the token, from the address in the credential', async () => {
		repository.isPrivate = true;
		expect((await look(WITH_TOKEN)).names).toEqual(['alpha', 'beta']);
		const sent = server.requests.map(({ headers }) => headers.authorization);
		expect(new Set(sent)).toEqual(new Set([`Bearer ${TOKEN}`]));
	});

	it('says what it is and what it wants in every request', async () => {
		await look();
		expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual(
			server.requests.map(() => 'n8n-nodes-agent-skills'),
		);
		expect(server.requests.map(({ headers }) => headers.accept)).toEqual([
			'application/vnd.github.sha',
			'application/vnd.github+json',
			'application/vnd.github.raw+json',
			'application/vnd.github.raw+json',
		]);
	});

	it('asks by ETag, and understands that nothing changed', async () => {
		const { opened } = await look();
		server.requests.length = 0;
		expire(opened.backend.id);
		expect((await look()).names).toEqual(['alpha', 'beta']);
		expect(server.requests).toMatchObject([{ status: 304 }]);
	});

	it('follows the new name of a repository, with the token', async () => {
		repository.isPrivate = true;
		server.rename('octo/skills', 'octo/renamed');
		expect((await look(WITH_TOKEN)).names).toEqual(['alpha', 'beta']);
	});

	it('takes the address of a page pasted into one field', async () => {
		const page = `http://127.0.0.1:${new URL(server.url).port}/octo/skills/tree/main/team/skills/beta`;
		const { names, opened } = await look({ owner: '', repository: page });
		expect(names).toEqual(['beta']);
		expect(opened.sources).toEqual([{ path: '/team/skills/beta', label: 'Beta' }]);
	});

	it('looks in the folders in order, with their labels', async () => {
		repository.push(skillTree({ alpha: 'over' }, 'mine/'));
		const { skills, opened } = await look(
			folders({ path: 'team/skills', label: '' }, { path: '/mine/', label: ' Mine ' }),
		);
		expect(opened.sources).toEqual([
			{ path: '/team/skills', label: 'Team' },
			{ path: '/mine', label: 'Mine' },
		]);
		expect(skills.map(({ description, source }) => [description, source])).toEqual([
			['over', 'Mine'],
			['b', 'Team'],
		]);
	});

	it('calls the root, and its folder skills, by the name of the repository', async () => {
		const { sources } = await open(folders({ path: '' }, { path: 'skills' }, {}));
		expect(sources.map(({ label }) => label)).toEqual(['Skills', 'Skills', 'Skills']);
		const other = await open({ repository: 'handbook', ...folders({ path: 'skills' }) });
		expect(other.sources[0].label).toBe('Handbook');
	});

	it('takes at most fifty folders, and says when there are more', async () => {
		const rows = Array.from({ length: 51 }, (_, at) => ({ path: `f${at}` }));
		const { sources, diagnostics } = await open(folders(...rows));
		expect(sources).toHaveLength(50);
		expect(diagnostics).toMatchObject([{ code: 'source-too-large' }]);
	});

	it.each([
		[{ owner: '' }, 'source-invalid'],
		[{ revision: 'a..b' }, 'source-invalid'],
		[folders({ path: '../x' }), 'source-invalid'],
		[{ githubApiUrl: 'nowhere' }, 'source-invalid'],
	])('with %j is a diagnostic, not a failure', async (more, code) => {
		expect((await look(more)).diagnostics).toMatchObject([{ code }]);
	});

	it.each(['none', 'token'])('refuses a file that is cut off (%s)', async (kind) => {
		server.fault = ({ url = '' }, response) => {
			if (!url.includes('/blobs/')) return false;
			response.writeHead(200, { 'Content-Length': '500' }).write('---');
			setTimeout(() => response.destroy(), 5);
			return true;
		};
		const more = kind === 'token' ? WITH_TOKEN : {};
		const { names, diagnostics } = await look({
			...more,
			...folders({ path: 'team/skills/beta' }),
		});
		expect(names).toEqual([]);
		expect(diagnostics).toMatchObject([
			{ code: 'skill-unreadable', message: expect.stringContaining('could not be reached') },
		]);
	});

	it('gives up on a server that never answers, and goes on', async () => {
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
		try {
			server.fault = () => true;
			const looking = look();
			const tick = async () => {
				await new Promise((resolve) => setImmediate(resolve));
				await jest.advanceTimersByTimeAsync(500);
			};
			let isDone = false;
			void looking.finally(() => (isDone = true));
			for (let ticks = 0; ticks < 200 && !isDone; ticks++) await tick();
			const { diagnostics } = await looking;
			expect(diagnostics).toMatchObject([{ code: 'source-unreadable' }]);
			expect(diagnostics[0].message).toContain('no answer within 10 seconds');
			expect(server.requests.length).toBeLessThanOrEqual(3);
		} finally {
			jest.useRealTimers();
		}
	});

	it('is asked again as often as the option says', async () => {
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout'], now: 1e12 });
		try {
			const options = { refreshSeconds: 300 };
			await look({ options });
			server.requests.length = 0;
			jest.setSystemTime(1e12 + 299_000);
			await look({ options });
			expect(server.requests).toHaveLength(0);
			jest.setSystemTime(1e12 + 301_000);
			await look({ options });
			expect(server.requests).toHaveLength(1);
		} finally {
			jest.useRealTimers();
		}
	});
});

describe('the token', () => {
	/** Everything that a person, a model or a log could get to see. */
	const everything = async (more: IDataObject) => {
		const result = await look(more).catch((error: unknown) => error as object);
		const own = Object.getOwnPropertyNames(result);
		return JSON.stringify(result, own) + JSON.stringify(result) + String(result);
	};

	it('is in nothing that is shown, whatever happens', async () => {
		const faults: Array<() => void> = [
			() => {},
			() => (server.remaining = 0),
			() => server.tokens.clear(),
			() => (server.fault = (request) => !!request.socket.destroy()),
			() =>
				(server.fault = (request, response) => {
					// An echo of the request, as some proxies give it.
					response.writeHead(418).end(JSON.stringify(request.headers));
					return true;
				}),
		];
		for (const happen of faults) {
			sourcePackage().forgetEverything();
			happen();
			expect(await everything(WITH_TOKEN)).not.toContain(TOKEN);
		}
	});

	it('goes to no other server, even when GitHub sends us there', async () => {
		const other = await GithubServer.start();
		other.create('octo/skills', skillTree({ evil: 'e' }));
		server.fault = ({ url }, response) => {
			response.writeHead(302, { Location: other.url + url }).end();
			return true;
		};
		await look(WITH_TOKEN);
		expect(other.requests.length).toBeGreaterThan(0);
		expect(JSON.stringify(other.requests)).not.toContain(TOKEN);
		await other.stop();
	});

	it('of one node shows nothing to another without it', async () => {
		repository.isPrivate = true;
		await look(WITH_TOKEN);
		const { names, diagnostics } = await look();
		expect(names).toEqual([]);
		expect(diagnostics).toMatchObject([{ code: 'source-denied' }]);
	});

	it('that is missing fails the node', async () => {
		const source = githubSource(server.url, WITH_TOKEN);
		const context = supplyContext(picture({ source }), { node: 'Source' });
		await expect(readSource(context, 0, undefined)).rejects.toThrow(/credentials/);
	});

	it('without an address goes to GitHub itself', async () => {
		host.credentialsHelper = githubCredentials(undefined as never);
		const { backend } = await open(WITH_TOKEN);
		expect(backend.location).toBe('github:octo/skills');
	});
});
