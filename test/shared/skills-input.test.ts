import { picture, typed } from '../engine/support/picture';
import { executeContext, supplyContext } from './support/contexts';

import {
	baseSkillsInput,
	connectedSkills,
	requiredSkills,
	skillsInput,
} from '../../nodes/shared/skills-input';

const connected = picture({ source: typed({ alpha: 'x' }) });

it.each([
	['Skills', skillsInput, true],
	['Base Skills', baseSkillsInput, false],
])('the input "%s" takes one Skills Source and nothing else', (displayName, input, required) => {
	expect(input).toEqual({
		displayName,
		type: 'ai_document',
		required,
		maxConnections: 1,
		filter: { nodes: ['n8n-nodes-agent-skills.skillsSource'] },
	});
});

it.each([
	['an execution', executeContext, 'Catalog'],
	['a supply', supplyContext, 'Loader'],
])('gives back the skills that are connected, in %s', async (_, contextOf, node) => {
	const skills = await requiredSkills(contextOf(connected, { node }), 0);
	expect((await skills.refresh()).skills.map(({ name }) => name)).toEqual(['alpha']);
});

it('gives back nothing for a free optional input', async () => {
	const context = supplyContext(connected, { node: 'Source' });
	expect(await connectedSkills(context, 0)).toBeUndefined();
});

it('explains what to do when nothing is connected', async () => {
	const context = executeContext(connected, { node: 'Catalog' });
	jest.spyOn(context, 'getInputConnectionData').mockResolvedValue(undefined);
	await expect(requiredSkills(context, 0)).rejects.toMatchObject({
		message: 'No Skills Source is connected',
		description: expect.stringContaining('add a Skills Source node'),
	});
});

it.each([[{}], ['text'], [7], [{ refresh: 1, load: 2 }], [[]]])(
	'refuses %j, which is no Skills Source',
	async (other) => {
		const context = executeContext(connected, { node: 'Catalog' });
		jest.spyOn(context, 'getInputConnectionData').mockResolvedValue(other);
		await expect(connectedSkills(context, 0)).rejects.toMatchObject({
			message: 'What is connected to "Skills" is not a Skills Source',
		});
	},
);
