import { githubCredentials, githubSource, TOKEN, withGithubCredential } from './support/github';
import { Host } from './support/host';
import { compiledPackage } from './support/package';
import { AGENT_WAYS, load, picture, read, say, typed } from './support/picture';

import { GithubServer, type ServedRepository } from '../core/backends/github-server';
import { skillText } from '../core/support';

let host: Host;
let server: GithubServer;
let repository: ServedRepository;

const WITH_TOKEN = { githubAuthentication: 'token' };

beforeEach(async () => {
	host = new Host(compiledPackage());
	host.restart();
	server = await GithubServer.start();
	host.credentialsHelper = githubCredentials(server.url);
	repository = server.create('octo/skills', {
		'skills/alpha/SKILL.md': skillText('alpha', 'Does alpha.', 'Rule of alpha.'),
		'skills/alpha/references/guide.md': 'The guide.',
		'skills/beta/SKILL.md': skillText('beta', 'Does beta.', 'Rule of beta.'),
	});
});

afterEach(async () => await server.stop());

describe.each(AGENT_WAYS)('skills of a GitHub repository, %s', (_, agent) => {
	it('are listed, loaded and read, with as few requests as can be', async () => {
		const flow = picture({ agent, source: githubSource(server.url) });
		const turns = [[load('alpha')], [load('beta')], [read('alpha', 'references/guide.md')]];
		const { answers, system, hints } = await say(host, flow, turns);
		expect(system).toContain('**beta**: Does beta.');
		expect(answers[0]).toContain('Rule of alpha.');
		expect(answers[0]).toContain('references/guide.md');
		expect(answers[1]).toContain('Rule of beta.');
		expect(answers[2]).toContain('The guide.');
		expect(hints('Source')).toEqual(['2 skills found: Skills (2).']);
		expect(server.requests).toHaveLength(5);
	});

	it('are of one commit, which the node shows', async () => {
		const flow = picture({ agent, source: githubSource(server.url) });
		const reply = await say(host, flow, [[load('alpha')]]);
		const { json } = reply.runs('Source')[0].data?.ai_document?.[0]?.[0] ?? {};
		expect(json).toMatchObject({ sources: [{ revision: repository.resolve('HEAD') }] });
		expect(reply.runs('Source')).toHaveLength(1);
	});

	it('of a private one need the token, which is in nothing that the run leaves', async () => {
		repository.isPrivate = true;
		const source = githubSource(server.url, WITH_TOKEN);
		const flow = withGithubCredential(picture({ agent, source }));
		const reply = await say(host, flow, [[load('alpha')]]);
		expect(reply.answers[0]).toContain('Rule of alpha.');
		const left = JSON.stringify([reply.data, reply.system, reply.answers, host.staticData(flow)]);
		expect(left).not.toContain(TOKEN);
	});

	it('lie under those of the workflow', async () => {
		const source = typed({ alpha: 'Own rule.' });
		const flow = picture({ agent, source, base: githubSource(server.url) });
		const { answers } = await say(host, flow, [[load('alpha'), load('beta')]]);
		expect(answers[0]).toContain('Own rule.');
		expect(answers[1]).toContain('Rule of beta.');
	});
});

describe('a GitHub repository that cannot be read', () => {
	it('is a hint with what to do, and the run goes on', async () => {
		const flow = picture({ source: githubSource(server.url, { repository: 'nothing' }) });
		const reply = await say(host, flow, []);
		expect(reply.status).toBe('success');
		expect(reply.hints('Source').join(' ')).toContain('Check the owner and the name');
	});

	it('stops the run when the node says so, without the token in the error', async () => {
		server.tokens.clear();
		const options = { onSourceError: 'fail' };
		const source = githubSource(server.url, { ...WITH_TOKEN, options });
		const reply = await say(host, withGithubCredential(picture({ source })), []);
		expect(reply.status).toBe('error');
		const shown = JSON.stringify([reply.error, reply.data]) + reply.error?.stack;
		expect(shown).toContain('refused the token');
		expect(shown).not.toContain(TOKEN);
	});
});
