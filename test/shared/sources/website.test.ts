import { picture } from '../../engine/support/picture';
import {
	httpCredentials,
	SECRET,
	websiteSource,
	WITH_CREDENTIAL,
	withHttpCredential,
} from '../../engine/support/website';
import { hintsOf, host, supplyContext } from '../support/contexts';
import { sourcePackage } from '../support/sources';

import type { IDataObject } from 'n8n-workflow';

import { createSkillSet } from '../../../nodes/core/skillset';
import { readSource } from '../../../nodes/shared/source';
import { supplySkills } from '../../../nodes/shared/supply';
import { publish, startSite, stopSites, WELL_KNOWN, type Site } from '../../core/sites';
import { skillText } from '../../core/support';

let site: Site;

beforeEach(async () => {
	sourcePackage().forgetEverything();
	site = await startSite();
	publish(site, { alpha: skillText('alpha', 'x', 'Rule A.'), beta: 'b' });
});
afterEach(async () => {
	host.credentialsHelper = {};
	await stopSites();
});

let runs = 0;

/** Gives back n8n's own context of a Skills Source over a website, in a run of its own. */
const contextOf = (url: string, more: IDataObject = {}) =>
	supplyContext(withHttpCredential(picture({ source: websiteSource(url, more) })), {
		node: 'Source',
		executionId: `run-${++runs}`,
	});
const look = async (url = site.url, more: IDataObject = {}) => {
	const set = createSkillSet(await readSource(contextOf(url, more), 0, undefined));
	const { skills, diagnostics, sources } = await set.refresh();
	return { names: skills.map(({ name }) => name), skills, diagnostics, sources, set };
};

describe('a Skills Source over a website', () => {
	it('offers what the site publishes, called after the site', async () => {
		const { names, sources } = await look();
		expect(names).toEqual(['alpha', 'beta']);
		expect(sources).toMatchObject([
			{ label: '127.0.0.1', location: `${site.url}${WELL_KNOWN}/`, status: 'ok', skills: 2 },
		]);
	});

	it('loads a skill', async () => {
		const { set, skills } = await look();
		expect(await set.load(skills[0])).toMatchObject({ body: expect.stringContaining('Rule A.') });
	});

	it('may have another label', async () => {
		const { sources } = await look(site.url, { options: { label: ' Team ' } });
		expect(sources).toMatchObject([{ label: 'Team' }]);
	});

	it.each([
		['once in a minute unless told', {}, 1],
		['in every run when told', { options: { refreshSeconds: 0 } }, 2],
	])('asks for the index %s', async (_, more, times) => {
		await look(site.url, more);
		await look(site.url, more);
		expect(site.requests).toHaveLength(times);
	});

	it.each(['', 'example.com', 'file:///etc/passwd'])('explains the address %j', async (url) => {
		const { names, diagnostics } = await look(url);
		expect(names).toEqual([]);
		expect(diagnostics).toMatchObject([{ code: 'source-invalid' }]);
	});
});

describe('with a credential', () => {
	beforeEach(() => {
		host.credentialsHelper = httpCredentials(site.url);
		const open = [...site.pages];
		for (const [path, page] of open) {
			site.pages.set(path, {
				raw: (request, response) => {
					const isAllowed = request.headers.authorization === `Bearer ${SECRET}`;
					response.writeHead(isAllowed ? 200 : 401);
					response.end(isAllowed ? (page as { body: string }).body : 'no');
				},
			});
		}
	});

	it('reads a site that wants one', async () => {
		const { names, set, skills } = await look(site.url, WITH_CREDENTIAL);
		expect(names).toEqual(['alpha', 'beta']);
		expect(await set.load(skills[0])).toMatchObject({ body: expect.stringContaining('Rule A.') });
	});

	it('shows nothing of it to a node without one, not even from memory', async () => {
		await look(site.url, WITH_CREDENTIAL);
		const { names, diagnostics } = await look();
		expect(names).toEqual([]);
		expect(diagnostics).toMatchObject([{ code: 'source-denied' }]);
	});

	it('of another server says so, and asks nobody', async () => {
		host.credentialsHelper = httpCredentials('https://other.example');
		const { diagnostics } = await look(site.url, WITH_CREDENTIAL);
		expect(diagnostics).toMatchObject([{ code: 'source-invalid' }]);
		expect(site.requests).toEqual([]);
	});

	it('never shows the secret, whatever happens', async () => {
		const shown: string[] = [];
		for (const status of [200, 401, 403, 404, 429, 500]) {
			sourcePackage().forgetEverything();
			if (status !== 200) site.pages.set(`${WELL_KNOWN}/index.json`, { status, body: SECRET });
			const context = contextOf(site.url, WITH_CREDENTIAL);
			const debug = jest.spyOn(context.logger, 'debug');
			const output = jest.spyOn(context, 'addOutputData').mockReturnValue(undefined);
			const { response } = await supplySkills(context, 0);
			shown.push(JSON.stringify([response, debug.mock.calls, output.mock.calls]));
			shown.push(...hintsOf(context));
		}
		expect(shown.join()).toContain('source-denied');
		expect(shown.join()).not.toContain(SECRET);
	}, 20_000);
});
