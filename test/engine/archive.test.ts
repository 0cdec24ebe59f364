import { Host } from './support/host';
import { compiledPackage } from './support/package';
import { AGENT_WAYS, load, picture, read, say } from './support/picture';

import { tarGzOf, zipOf } from '../core/archives';
import { startSite, stopSites } from '../core/sites';
import { skillText } from '../core/support';

let host: Host;

beforeEach(() => {
	host = new Host(compiledPackage());
	host.restart();
});
afterEach(stopSites);

const TREE = {
	'pdf/SKILL.md': skillText('pdf', 'About PDF', 'Rule P.'),
	'pdf/references/forms.md': 'The forms.',
	'word/SKILL.md': skillText('word'),
};
const TURNS = [[load('pdf')], [read('pdf', 'references/forms.md')]];

describe.each(AGENT_WAYS)('skills of an archive, %s', (_, agent) => {
	const binary = async () => ({
		data: {
			data: (await zipOf(TREE)).toString('base64'),
			mimeType: 'application/zip',
			fileName: 'team.zip',
		},
	});

	it('that came with the item are offered, loaded and read', async () => {
		const flow = picture({ agent, source: { backend: 'archive' } });
		const { system, answers, hints } = await say(host, flow, TURNS, { binary: await binary() });
		expect(system).toContain('**pdf**: About PDF');
		expect(answers[0]).toContain('Rule P.');
		expect(answers[1]).toContain('The forms.');
		expect(hints('Source')).toEqual(['2 skills found: Team (2).']);
	});

	it('that an expression takes from another node are offered, loaded and read', async () => {
		const archiveField = '={{ $("Trigger").item.binary.data }}';
		const flow = picture({ agent, source: { backend: 'archive', archiveField } });
		const { answers } = await say(host, flow, TURNS, { binary: await binary() });
		expect(answers[0]).toContain('Rule P.');
		expect(answers[1]).toContain('The forms.');
	});

	it('at a web address are fetched once for all calls', async () => {
		const site = await startSite();
		site.pages.set('/team.tar.gz', { body: await tarGzOf(TREE) });
		const source = {
			backend: 'archive',
			archiveFrom: 'url',
			archiveUrl: `${site.url}/team.tar.gz`,
		};
		const { answers } = await say(host, picture({ agent, source }), TURNS);
		expect(answers[0]).toContain('Rule P.');
		expect(answers[1]).toContain('The forms.');
		expect(site.paths()).toEqual(['/team.tar.gz']);
	});

	it('that are refused are said to the person, and the run goes on', async () => {
		const flow = picture({ agent, source: { backend: 'archive' } });
		const data = { data: Buffer.from('no archive').toString('base64'), mimeType: 'text/plain' };
		const { status, hints } = await say(host, flow, [], { binary: { data } });
		expect(status).toBe('success');
		expect(hints('Source').join(' ')).toContain('is no archive that can be opened');
	});
});
