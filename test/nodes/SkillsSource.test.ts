import { folders, picture, typed } from '../engine/support/picture';
import { hintsOf, supplyContext } from '../shared/support/contexts';
import { skillFolder } from '../engine/support/skills';

import { SkillsSource } from '../../nodes/SkillsSource/SkillsSource.node';
import type { SkillSet } from '../../nodes/core/types';

let executions = 0;

async function supply(options: Parameters<typeof picture>[0], executionId = `s-${++executions}`) {
	const context = supplyContext(picture(options), { node: 'Source', executionId });
	const { response } = await new SkillsSource().supplyData.call(context, 0);
	const { runData } = context.runExecutionData.resultData;
	return { context, skills: response as SkillSet, runs: runData.Source ?? [] };
}

it('supplies the skills, and shows what it found', async () => {
	const { skills, runs, context } = await supply({ source: typed({ alpha: 'x' }) });
	const { skills: found } = await skills.refresh();
	expect(found.map(({ name }) => name)).toEqual(['alpha']);
	expect(runs[0].data?.ai_document?.[0]?.[0].json).toMatchObject({ skills: 1, names: ['alpha'] });
	expect(hintsOf(context)).toEqual(['1 skill found: Workflow (1).']);
});

it('shows it once in an execution', async () => {
	const flow = { source: typed({ alpha: 'x' }) };
	expect((await supply(flow, 'same')).runs).toHaveLength(1);
	expect((await supply(flow, 'same')).runs).toHaveLength(0);
});

it('lies over the source underneath', async () => {
	const base = typed({ alpha: 'Base.', beta: 'Base.' });
	const { skills } = await supply({ source: typed({ alpha: 'Own.' }), base });
	const { skills: found } = await skills.refresh();
	const bodies = await Promise.all(found.map((skill) => skills.load(skill)));
	expect(bodies).toMatchObject([{ body: 'Own.' }, { body: 'Base.' }]);
});

describe('On Source Error: fail', () => {
	const onSourceError = 'fail';

	it('names the places that could not be read, and why', async () => {
		const { path } = skillFolder();
		const source = folders([`${path}/<b>`, path], { onSourceError });
		await expect(supply({ source })).rejects.toMatchObject({
			message: expect.stringMatching(/^Skills could not be read: &lt;b&gt;\. .*does not exist/),
		});
	});

	it('takes data that is no skill for an error', async () => {
		const options = { onSourceError };
		const source = { backend: 'data', dataFrom: 'items', items: '[{}]', options };
		await expect(supply({ source })).rejects.toThrow(
			'Skills could not be read: Source. Item 1 has no text',
		);
	});

	it('lets everything else pass', async () => {
		const empty = await supply({ source: folders(skillFolder().path, { onSourceError }) });
		expect((await empty.skills.refresh()).skills).toEqual([]);
	});
});
