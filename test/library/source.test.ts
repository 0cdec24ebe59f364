import { credentialsHelperOf } from '../engine/support/credentials';
import { AGENT_WAYS, load, picture, say } from '../engine/support/picture';
import { host } from '../shared/support/contexts';
import { records, useFreshLibrary } from './support/node';

import type { IDataObject } from 'n8n-workflow';

useFreshLibrary();

const source = { backend: 'library', user: "={{ $('Trigger').item.json.user }}" };
/** The item of a user's own conversation. */
const of = (user: string) => ({ user, sessionId: user });
const create = async (user: string, skillName: string, more: IDataObject = {}) =>
	await records('skill', 'create', {
		user,
		skillName,
		skillDescription: `Does ${skillName}.`,
		instructions: `Rule of ${skillName}.`,
		...more,
	});

/** Loads are written while the agent goes on. */
async function usage(): Promise<IDataObject[]> {
	for (let left = 50; ; left--) {
		const found = await records('usage', 'getAll', { user: 'anna', countBy: 'user' });
		if (found.length > 0 || left === 0) return found;
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

beforeEach(async () => {
	await create('anna', 'secret', { tags: 'x' });
	await create('anna', 'shared', { visibility: 'public' });
});

describe.each(AGENT_WAYS)('%s', (_, agent) => {
	it('gets the skills of its user, and each load is counted', async () => {
		const saved = picture({ agent, source });
		const model = [[load('secret')]];
		const own = await say(host, saved, model, { items: [of('anna')] });
		expect(own.system).toContain('secret');
		expect(own.answers[0]).toContain('Rule of secret.');
		const other = await say(host, saved, model, { items: [of('boris')] });
		expect(other.system).not.toContain('secret');
		expect(other.answers[0]).toContain('not found');
		expect(await usage()).toMatchObject([{ name: 'secret', user: 'anna', loads: 1 }]);
	});

	it('gives no user the skills of another when there are several at once', async () => {
		const items = [of('anna'), of('boris')];
		const saved = picture({ agent, source, catalog: null });
		const reply = await say(host, saved, [[load('secret')]], { items });
		expect(reply.answersOf(1)[0]).toContain('not found');
		expect(JSON.stringify(reply.tools)).not.toContain('secret');
	});
});

it('offers only skills of given tags and names', async () => {
	const offered = async (more: IDataObject) =>
		(
			await say(host, picture({ source: { ...source, ...more } }), [], {
				items: [{ user: 'anna' }],
			})
		).system;
	expect(await offered({ libraryTags: 'x' })).not.toContain('shared');
	expect(await offered({ libraryNames: 'shared' })).not.toContain('secret');
});

it('says what is wrong when the library cannot be opened', async () => {
	const broken = { ...source, database: 'postgres' };
	host.credentialsHelper = credentialsHelperOf([], { 1: {} });
	const node = picture({ source: broken });
	const below = node.nodes.find(({ name }) => name === 'Source');
	if (below) below.credentials = { agentSkillsPostgresApi: { id: '1', name: 'x' } };
	const reply = await say(host, node, [], { items: [of('anna')] });
	expect(JSON.stringify(reply.runs('Source'))).toContain('Usually it is 5432');
});
