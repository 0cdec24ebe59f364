import { GithubServer } from '../../core/backends/github-server';
import { publish, startSite, stopSites } from '../../core/sites';
import { DONE, load, openBench } from '../support/bench';
import type { Bench, Reply } from '../support/bench';
import { createSkillFolder } from '../support/skills';

let bench: Bench;
let github: GithubServer;
let siteUrl: string;

const NAMES = ['alpha', 'beta', 'gamma', 'delta'];
const skill = (name: string, place: string) =>
	`---\nname: ${name}\ndescription: Does ${name} from ${place}.\n---\n\nRule of ${place}.\n`;

/** What the lowest to the uppermost Skills Source showed: a report of everything beneath, too. */
interface Report {
	skills: number;
	sources: Array<{ label: string; skills: number; found: number }>;
	diagnostics: Array<{ code: string; message: string }>;
}

beforeAll(async () => {
	bench = await openBench();
	github = await GithubServer.start();
	github.create(
		'octo/skills',
		Object.fromEntries(NAMES.map((name) => [`skills/${name}/SKILL.md`, skill(name, 'GitHub')])),
	);
	const site = await startSite();
	publish(site, { beta: skill('beta', 'the website') });
	siteUrl = site.url;
});

afterAll(async () => {
	await bench.close();
	await github.stop();
	await stopSites();
});

/** GitHub under a website under a folder under workflow data, each overriding one skill. */
async function startChain(version: number) {
	const folder = createSkillFolder();
	folder.write('gamma', 'Does gamma from the folder.', 'Rule of the folder.');
	const typed = {
		name: 'delta',
		description: 'Does delta from the workflow.',
		instructions: 'Rule of the workflow.',
	};
	return await bench.start({
		version,
		source: { parameters: { backend: 'data', skills: { skill: [typed] } } },
		layers: [
			{ sources: { source: [{ path: folder.path, label: 'Folder' }] } },
			{ backend: 'website', websiteUrl: siteUrl, options: { label: 'Website' } },
			{
				backend: 'github',
				owner: 'octo',
				repository: 'skills',
				githubApiUrl: github.url,
				repositoryFolders: { folder: [{ path: 'skills', label: 'GitHub' }] },
			},
		],
	});
}

function reportOf(reply: Reply): Report {
	const [run] = reply.runs('Source');
	return run.data?.ai_document?.[0]?.[0].json as unknown as Report;
}

describe.each([1.9, 2.2, 3.1])('four layers over four kinds of places, AI Agent %d', (version) => {
	it('give each skill from the uppermost place that has it', async () => {
		const chat = await startChain(version);
		const reply = await chat.say('hello', [...NAMES.map(load), DONE]);
		const places = ['GitHub', 'the website', 'the folder', 'the workflow'];
		places.forEach((place, index) => {
			const name = NAMES[index];
			expect(reply.system).toContain(`**${name}**: Does ${name}`);
			expect(reply.results[index]).toContain(`Rule of ${place}.`);
		});
	});

	it('report what hides what', async () => {
		const chat = await startChain(version);
		const report = reportOf(await chat.say('hello', [load('delta'), DONE]));
		expect(report.skills).toBe(4);
		expect(report.sources).toMatchObject([
			{ label: 'GitHub', found: 4, skills: 1 },
			{ label: 'Website', found: 1, skills: 1 },
			{ label: 'Folder', found: 1, skills: 1 },
			{ label: 'Workflow', found: 1, skills: 1 },
		]);
		const shadowed = report.diagnostics.filter(({ code }) => code === 'skill-shadowed');
		expect(
			shadowed.map(({ message }) =>
				/^The skill "(\w+)".*\((.+?)\); the one in .* \((.+?)\) is hidden/.exec(message)?.slice(1),
			),
		).toEqual([
			['beta', 'Website', 'GitHub'],
			['gamma', 'Folder', 'GitHub'],
			['delta', 'Workflow', 'GitHub'],
		]);
	});
});
