import { picture } from '../../engine/support/picture';
import {
	httpCredentials,
	SECRET,
	WITH_CREDENTIAL,
	withHttpCredential,
} from '../../engine/support/website';
import { host, supplyContext, type Situation } from '../support/contexts';
import { sourcePackage } from '../support/sources';

import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { MAX_ARCHIVE_BYTES } from '../../../nodes/core/limits';
import { clearRemoteCache } from '../../../nodes/core/remote';
import { createSkillSet } from '../../../nodes/core/skillset';
import { readSource } from '../../../nodes/shared/source';
import { rawZip, tarGzOf, zipOf } from '../../core/archives';
import { startSite, stopSites, type Site } from '../../core/sites';
import { skillText } from '../../core/support';

let executions = 0;
let executionId: string;

beforeEach(() => {
	sourcePackage().forgetEverything();
	executionId = `archive-${++executions}`;
});
afterEach(async () => {
	host.credentialsHelper = {};
	await stopSites();
});

const binaryOf = (content: Buffer, fileName?: string) => ({
	data: content.toString('base64'),
	mimeType: 'application/zip',
	...(fileName === undefined ? {} : { fileName }),
});

async function look(parameters: IDataObject, situation: Partial<Situation> = {}) {
	const flow = picture({ source: { backend: 'archive', ...parameters } });
	const context = supplyContext(withHttpCredential(flow), {
		node: 'Source',
		executionId,
		...situation,
	});
	const set = createSkillSet(await readSource(context, 0, undefined));
	const { skills, diagnostics, sources } = await set.refresh();
	return {
		set,
		skills,
		sources,
		names: skills.map(({ name }) => name),
		codes: diagnostics.map(({ code }) => code),
		messages: diagnostics.map(({ message }) => message).join('\n'),
	};
}

const one = async (name: string) =>
	await zipOf({ 'SKILL.md': skillText(name, 'x', `Rule ${name}.`) });

describe('an archive as binary data of the item', () => {
	it('gives its skills, called after the file', async () => {
		const binary = { data: binaryOf(await one('pdf'), 'team-skills.zip') };
		const { names, sources, set, skills } = await look({}, { binary });
		expect(names).toEqual(['pdf']);
		expect(sources).toMatchObject([{ label: 'Team-skills', location: '/team-skills.zip' }]);
		expect(await set.load(skills[0])).toMatchObject({ body: expect.stringContaining('Rule pdf.') });
	});

	it('goes by its field where the file has no name, and by a label if there is one', async () => {
		const binary = { data: binaryOf(await one('pdf')) };
		expect((await look({}, { binary })).sources).toMatchObject([{ label: 'Data' }]);
		const options = { label: 'Team' };
		expect((await look({ options }, { binary })).sources).toMatchObject([{ label: 'Team' }]);
	});

	it('may be one of several, the later over the earlier', async () => {
		const binary: IBinaryKeyData = {
			first: binaryOf(await one('pdf'), 'skills.zip'),
			second: binaryOf(await tarGzOf({ 'a/SKILL.md': skillText('pdf') }), 'skills.zip'),
		};
		const archiveField = 'first, second,';
		const { names, codes, sources } = await look(
			{ archiveField, options: { label: 'Not for two' } },
			{ binary },
		);
		expect({ names, codes }).toEqual({ names: ['pdf'], codes: ['skill-shadowed'] });
		expect(sources).toMatchObject([
			{ label: 'Skills', location: '/skills.zip', skills: 0 },
			{ label: 'Skills', location: '/skills.zip-2', skills: 1 },
		]);
	});

	it.each(['../../etc', '', '.', 'C:\\x.zip', 'a\0b'])('has a safe folder for %j', async (name) => {
		const binary = { data: binaryOf(await one('pdf'), name) };
		expect((await look({}, { binary })).names).toEqual(['pdf']);
	});

	it('that is hostile is refused by name, and the run goes on', async () => {
		const binary = { data: binaryOf(rawZip([{ name: '../evil' }]), 'evil.zip') };
		const { names, codes, messages } = await look({}, { binary });
		expect({ names, codes }).toEqual({ names: [], codes: ['archive-refused'] });
		expect(messages).toContain('"../evil"');
	});

	it('that is too large is not even read', async () => {
		const binary = { data: { ...binaryOf(Buffer.from('x')), bytes: MAX_ARCHIVE_BYTES + 1 } };
		expect((await look({}, { binary })).messages).toContain('52,428,801 bytes, more than');
	});

	it.each([
		['no field at all', 'data', undefined],
		['another field', 'other', { data: binaryOf(Buffer.from('x')) }],
		['no name', ' , ', undefined],
		['what is no binary data', '={{ 7 }}', undefined],
		['nothing', '={{ null }}', undefined],
	])('that is not there is explained: %s', async (_, archiveField, binary) => {
		const { names, codes, messages } = await look({ archiveField }, { binary });
		expect({ names, codes }).toEqual({ names: [], codes: ['data-invalid'] });
		expect(messages).toContain('$("Read File").item.binary.data');
	});

	it('may come by an expression, one or a list', async () => {
		const file = binaryOf(await one('pdf'), 'x.skill');
		const items = [{ file, files: [file, { ...file, fileName: undefined }] }];
		expect((await look({ archiveField: '={{ $json.file }}' }, { items })).names).toEqual(['pdf']);
		const { sources } = await look({ archiveField: '={{ $json.files }}' }, { items });
		expect(sources.map(({ location }) => location)).toEqual(['/x.skill', '/archive']);
	});

	it('are at most fifty', async () => {
		const archiveField = Array.from({ length: 51 }, (_, at) => `f${at}`).join();
		expect((await look({ archiveField })).messages).toContain('More than 50');
	});
});

describe('a tool call, whose item comes without files', () => {
	const see = async (name: string) =>
		await look({}, { binary: { data: binaryOf(await one(name), 'x.zip') } });

	it('means the archive that the same execution had before', async () => {
		await see('pdf');
		expect((await look({})).names).toEqual(['pdf']);
	});

	it('means none of another execution', async () => {
		await see('pdf');
		expect((await look({}, { executionId: 'another' })).codes).toEqual(['data-invalid']);
	});

	it('does not guess between several', async () => {
		await see('pdf');
		await see('word');
		const { names, messages } = await look({});
		expect(names).toEqual([]);
		expect(messages).toContain('The items have different files');
	});

	it('says so when the archive is no longer in memory', async () => {
		await see('pdf');
		clearRemoteCache();
		expect((await look({})).messages).toContain('is no longer in memory');
	});

	it('remembers nothing where n8n gives the execution no id', async () => {
		executionId = '';
		await see('pdf');
		expect((await look({})).codes).toEqual(['data-invalid']);
	});
});

describe('an archive at a web address', () => {
	let site: Site;
	const at = (path: string, more: IDataObject = {}) => ({
		archiveFrom: 'url',
		archiveUrl: site.url + path,
		...more,
	});

	beforeEach(async () => {
		site = await startSite();
		site.pages.set('/dl/team.tar.gz', {
			body: await tarGzOf({ 'a/SKILL.md': skillText('a', 'x', 'Rule A.'), 'b/SKILL.md': 'no' }),
		});
	});

	it('gives its skills, called after the file', async () => {
		const { names, sources, set, skills } = await look(at('/dl/team.tar.gz'));
		expect(names).toEqual(['a']);
		expect(sources).toMatchObject([{ label: 'Team', location: `${site.url}/dl/team.tar.gz/` }]);
		expect(await set.load(skills[0])).toMatchObject({ body: expect.stringContaining('Rule A.') });
		expect(site.requests).toHaveLength(1);
	});

	it('is called after the server where the address names no file', async () => {
		const { sources } = await look(at('/'));
		expect(sources).toMatchObject([{ label: '127.0.0.1' }]);
	});

	it('is asked by its ETag in every run when told', async () => {
		const options = { refreshSeconds: 0 };
		await look(at('/dl/team.tar.gz', { options }));
		await look(at('/dl/team.tar.gz', { options }), { executionId: 'next' });
		expect(site.requests.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 304]));
	});

	it('sends the credential', async () => {
		host.credentialsHelper = httpCredentials(site.url);
		await look(at('/dl/team.tar.gz', WITH_CREDENTIAL));
		expect(site.requests[0].headers.authorization).toBe(`Bearer ${SECRET}`);
	});

	it.each(['', 'team.zip', 'file:///etc/passwd'])('explains the address %j', async (archiveUrl) => {
		const { codes } = await look({ archiveFrom: 'url', archiveUrl });
		expect(codes).toEqual(['source-invalid']);
	});
});
