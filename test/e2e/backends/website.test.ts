import { tarGzOf } from '../../core/archives';
import { publish, startSite, stopSites, WELL_KNOWN } from '../../core/sites';
import type { Site } from '../../core/sites';
import { DONE, load, openBench, use } from '../support/bench';
import type { Bench } from '../support/bench';

const SECRET = 'e2e-SECRET-token';
const INDEX = `${WELL_KNOWN}/index.json`;

let bench: Bench;
let site: Site;

const skill = (name: string, rule: string) =>
	`---\nname: ${name}\ndescription: Does ${name}.\n---\n\n${rule}\n`;

/** Makes every page of the site ask for the secret. */
function lock(locked: Site): void {
	for (const [path, page] of [...locked.pages]) {
		locked.pages.set(path, {
			raw: ({ headers }, response) => {
				const isAllowed = headers.authorization === `Bearer ${SECRET}`;
				response.writeHead(isAllowed ? 200 : 401);
				response.end(isAllowed ? (page as { body: string }).body : 'no');
			},
		});
	}
}

beforeAll(async () => {
	bench = await openBench();
});

afterAll(async () => {
	await bench.close();
});

beforeEach(async () => {
	site = await startSite();
	const files = {
		'SKILL.md': skill('refunds', 'Refund rule.'),
		'references/limits.md': 'At most 100 euros.',
	};
	publish(site, {
		greeting: skill('greeting', 'Greeting rule.'),
		refunds: await tarGzOf(files),
	});
});

afterEach(stopSites);

describe.each([2.2, 3.1])('skills of a website, AI Agent %d', (version) => {
	it('are listed, loaded and read', async () => {
		const parameters = { backend: 'website', websiteUrl: site.url };
		const chat = await bench.start({ version, source: { parameters } });
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
		expect(site.paths().filter((path) => path === INDEX)).toHaveLength(1);
	});
});

describe('a site that wants a credential', () => {
	const data = (token = SECRET) => ({ url: site.url + INDEX, kind: 'bearer', token });

	it('is read with it, and the secret is in nothing that the run leaves', async () => {
		lock(site);
		const type = 'agentSkillsHttpApi';
		const id = await bench.client.createCredential('Site', type, data());
		const parameters = { backend: 'website', websiteUrl: site.url, authentication: type };
		const credentials = { [type]: { id, name: 'Site' } };
		const chat = await bench.start({ version: 3.1, source: { parameters, credentials } });
		const reply = await chat.say('hello', [load('greeting'), DONE]);
		expect(reply.results[0]).toContain('Greeting rule.');
		const left = JSON.stringify([reply.execution, reply.requests]) + chat.staticData();
		expect(left).not.toContain(SECRET);
	});

	it.each([
		[SECRET, 'OK'],
		['wrong', 'Error'],
	])('answers the test of the credential: %s is %s', async (token, status) => {
		lock(site);
		const type = 'agentSkillsHttpApi';
		const id = await bench.client.createCredential('Site', type, data(token));
		const credentials = { id, name: 'Site', type, data: data(token) };
		const answer = await bench.client.send<{ status: string }>('POST', '/rest/credentials/test', {
			credentials,
		});
		expect(answer.status).toBe(status);
	});
});
