import { records, useFreshLibrary } from './support/node';
import { postgresSettings } from './support/databases';

import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { SkillLibrary } from '../../nodes/SkillLibrary/SkillLibrary.node';

useFreshLibrary();

const { listSearch, credentialTest } = new SkillLibrary().methods;

/** What the editor tells of the node that is open. */
const editing = (parameters: Record<string, unknown>) =>
	({
		getNode: () => ({ name: 'Library', type: 'n8n-nodes-agent-skills.skillLibrary' }),
		getCurrentNodeParameter: (name: string) => parameters[name],
		getCredentials: async () => ({}),
		logger: console,
	}) as unknown as ILoadOptionsFunctions;

describe('the list to choose a skill from', () => {
	beforeEach(async () => {
		const text = { skillDescription: 'Checks VAT.', instructions: 'Check it.' };
		await records('skill', 'create', { user: 'anna', skillName: 'own', ...text });
		const system = { visibility: 'system', actAsAdministrator: true };
		await records('skill', 'create', { skillName: 'house', ...text, ...system });
	});

	const names = async (parameters: object, filter?: string) => {
		const { results } = await listSearch.searchSkills.call(editing({ ...parameters }), filter);
		return results.map(({ name }) => name).sort();
	};

	it('holds what the user may see, with whose it is', async () => {
		expect(await names({ user: 'anna' })).toEqual(['house (system)', 'own (anna)']);
		expect(await names({ user: 'boris' })).toEqual(['house (system)']);
	});

	it('takes an expression that has no value yet for nobody', async () => {
		expect(await names({ user: "={{ $('Chat').item.json.user }}" })).toEqual(['house (system)']);
	});

	it('is searched', async () => {
		expect(await names({ user: 'anna' }, 'own')).toEqual(['own (anna)']);
	});

	it('says what is wrong with the database', async () => {
		const search = names({ database: 'postgres' });
		await expect(search).rejects.toMatchObject({ message: expect.stringContaining('credential') });
	});
});

describe('the test of a Postgres credential', () => {
	const test = async (data: object) => {
		const credential = { id: '1', name: 'x', type: 'agentSkillsPostgresApi', data: data as never };
		return await credentialTest.testPostgres.call({} as never, credential);
	};

	it('connects', async () => {
		expect(await test(postgresSettings())).toMatchObject({ status: 'OK' });
	});

	it('says what is wrong, and what to do', async () => {
		const answer = await test({ ...postgresSettings(), password: 'wrong' });
		expect(answer).toMatchObject({ status: 'Error', message: expect.stringMatching(/password/i) });
	});
});
