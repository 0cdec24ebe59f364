import { GithubServer } from '../../core/backends/github-server';
import type { ServedRepository } from '../../core/backends/github-server';
import { DONE, load, openBench, use } from '../support/bench';
import type { Bench } from '../support/bench';

const TOKEN = 'ghp_secret';
const TYPE = 'agentSkillsGithubApi';

let bench: Bench;
let server: GithubServer;
let repository: ServedRepository;

const skill = (name: string, rule: string) =>
	`---\nname: ${name}\ndescription: Does ${name}.\n---\n\n${rule}\n`;

/** The parameters of a Skills Source over the repository of the test. */
const parameters = (more: Record<string, unknown> = {}) => ({
	backend: 'github',
	owner: 'octo',
	repository: 'skills',
	githubApiUrl: server.url,
	...more,
});

beforeAll(async () => {
	bench = await openBench();
});

afterAll(async () => {
	await bench.close();
});

beforeEach(async () => {
	server = await GithubServer.start();
	repository = server.create('octo/skills', {
		'skills/greeting/SKILL.md': skill('greeting', 'Greeting rule.'),
		'skills/refunds/SKILL.md': skill('refunds', 'Refund rule.'),
		'skills/refunds/references/limits.md': 'At most 100 euros.',
	});
});

afterEach(async () => {
	await server.stop();
});

describe.each([1.9, 2.2, 3.1])('skills of a GitHub repository, AI Agent %d', (version) => {
	it('are listed, loaded and read, and the node shows the commit', async () => {
		const chat = await bench.start({ version, source: { parameters: parameters() } });
		const reply = await chat.say('hello', [
			load('greeting'),
			load('refunds'),
			use('read_skill_file', { skill_name: 'refunds', paths: ['references/limits.md'] }),
			DONE,
		]);
		expect(reply.system).toContain('**greeting**: Does greeting.');
		expect(reply.results[0]).toContain('Greeting rule.');
		expect(reply.results[1]).toContain('Refund rule.');
		expect(reply.results[2]).toContain('At most 100 euros.');
		expect(JSON.stringify(reply.runs('Source'))).toContain(repository.resolve('HEAD'));
		expect(server.takePaths()).toHaveLength(5);
	});

	it('are seen after a push, with the new instructions', async () => {
		const options = { refreshSeconds: 0 };
		const chat = await bench.start({ version, source: { parameters: parameters({ options }) } });
		await chat.say('hello', [load('greeting'), DONE]);
		repository.push({ 'skills/greeting/SKILL.md': skill('greeting', 'New greeting rule.') });
		// The repository is looked at once a second at most.
		await new Promise((resolve) => setTimeout(resolve, 1100));
		const reply = await chat.say('again', [DONE]);
		expect(reply.system).toContain('New greeting rule.');
	});
});

describe('a private repository', () => {
	const data = (accessToken = TOKEN) => ({ accessToken, apiUrl: server.url });

	it('is read with the token, which is in nothing that the run leaves', async () => {
		repository.isPrivate = true;
		const id = await bench.client.createCredential('GitHub', TYPE, data());
		const source = {
			parameters: parameters({ githubAuthentication: 'token' }),
			credentials: { [TYPE]: { id, name: 'GitHub' } },
		};
		const chat = await bench.start({ version: 3.1, source });
		const reply = await chat.say('hello', [load('greeting'), DONE]);
		expect(reply.results[0]).toContain('Greeting rule.');
		const left = JSON.stringify([reply.execution, reply.requests]) + chat.staticData();
		expect(left).not.toContain(TOKEN);
	});

	it.each([
		[TOKEN, 'OK'],
		['wrong', 'Error'],
	])('answers the test of the credential: %s is %s', async (token, status) => {
		const id = await bench.client.createCredential('GitHub', TYPE, data(token));
		const credentials = { id, name: 'GitHub', type: TYPE, data: data(token) };
		const answer = await bench.client.send<{ status: string }>('POST', '/rest/credentials/test', {
			credentials,
		});
		expect(answer.status).toBe(status);
	});
});
