import { rawZip, tarGzOf, zipOf } from '../../core/archives';
import { startSite, stopSites } from '../../core/sites';
import type { Site } from '../../core/sites';
import { DONE, load, openBench, use } from '../support/bench';
import type { Bench } from '../support/bench';

let bench: Bench;
let site: Site;

const TREE = {
	'refunds/SKILL.md': '---\nname: refunds\ndescription: Does refunds.\n---\n\nRefund rule.\n',
	'refunds/references/limits.md': 'At most 100 euros.',
};
const SCRIPT = [
	load('refunds'),
	use('read_skill_file', { skill_name: 'refunds', paths: ['references/limits.md'] }),
	DONE,
];

beforeAll(async () => {
	bench = await openBench();
});

afterAll(async () => {
	await bench.close();
});

beforeEach(async () => {
	site = await startSite();
	const headers = { 'content-type': 'application/zip' };
	site.pages.set('/team.zip', { body: await zipOf(TREE), headers });
	site.pages.set('/team.tar.gz', { body: await tarGzOf(TREE) });
	site.pages.set('/evil.zip', { body: rawZip([{ name: '../evil.md' }]), headers });
});

afterEach(stopSites);

/** A node that fetches a file, as people do: its item has the file and nothing else. */
const download = (path: string) => ({
	type: 'n8n-nodes-base.httpRequest',
	version: 4.2,
	parameters: {
		url: site.url + path,
		options: { response: { response: { responseFormat: 'file', outputPropertyName: 'data' } } },
	},
});
const agent = { promptType: 'define', text: '={{ $("Chat").item.json.chatInput }}' };

describe.each([2.2, 3.1])('skills of an archive, AI Agent %d', (version) => {
	it.each([
		['by the name of its field', 'data'],
		['by an expression', '={{ $("Before").item.binary.data }}'],
	])('that came with the item, %s, are listed, loaded and read', async (_, archiveField) => {
		const source = { parameters: { backend: 'archive', archiveField } };
		const chat = await bench.start({ version, source, agent, before: download('/team.zip') });
		const reply = await chat.say('hello', SCRIPT);
		expect(reply.system).toContain('**refunds**: Does refunds.');
		expect(reply.results[0]).toContain('Refund rule.');
		expect(reply.results[1]).toContain('At most 100 euros.');
	});

	it('at a web address are listed, loaded and read', async () => {
		const archiveUrl = `${site.url}/team.tar.gz`;
		const source = { parameters: { backend: 'archive', archiveFrom: 'url', archiveUrl } };
		const chat = await bench.start({ version, source });
		const reply = await chat.say('hello', SCRIPT);
		expect(reply.results[0]).toContain('Refund rule.');
		expect(reply.results[1]).toContain('At most 100 euros.');
		expect(site.requests).toHaveLength(1);
	});
});

it('an archive that reaches out of its folder is refused, and the run goes on', async () => {
	const archiveUrl = `${site.url}/evil.zip`;
	const source = { parameters: { backend: 'archive', archiveFrom: 'url', archiveUrl } };
	const chat = await bench.start({ version: 3.1, source });
	const reply = await chat.say('hello', [DONE]);
	expect(reply.answer).toBe('done');
	expect(JSON.stringify(reply.runs('Source'))).toContain('archive-refused');
});
