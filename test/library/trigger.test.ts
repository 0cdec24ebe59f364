import { join } from 'node:path';

import type { SavedWorkflow } from '../engine/support/host';
import { host } from '../shared/support/contexts';
import { named, records, useFreshLibrary } from './support/node';

import { PollContext } from 'n8n-core';
import type { IDataObject, INode, WorkflowExecuteMode } from 'n8n-workflow';

import { SkillLibraryTrigger } from '../../nodes/SkillLibraryTrigger/SkillLibraryTrigger.node';

// The types of Node 20 do not know it.
const { DatabaseSync } = process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as {
	DatabaseSync: new (path: string) => { exec(sql: string): void; close(): void };
};

useFreshLibrary();

let workflows = 0;

/** A trigger in a workflow; each poll opens the workflow anew, as after a restart of n8n. */
function startTrigger(parameters: IDataObject = {}) {
	const type = 'n8n-nodes-agent-skills.skillLibraryTrigger';
	const position: [number, number] = [0, 0];
	const node = { id: 'n', name: 'Watch', type, typeVersion: 1, position, parameters } as INode;
	const saved: SavedWorkflow = { id: `watch-${++workflows}`, nodes: [node], connections: {} };
	return {
		async poll(mode: WorkflowExecuteMode = 'trigger'): Promise<IDataObject[]> {
			const workflow = host.open(saved);
			const opened = workflow.getNode('Watch') as INode;
			const context = new PollContext(
				workflow,
				opened,
				host.additionalData(saved, '1', mode),
				mode,
				'activate',
				undefined,
				undefined,
				undefined,
				undefined,
				() => workflow.getStaticData('node', opened),
			);
			const output = await new SkillLibraryTrigger().poll.call(context);
			host.writeStaticData(saved, workflow.staticData);
			return output?.[0].map(({ json }) => json) ?? [];
		},
	};
}

const create = async (skillName: string, more: IDataObject = {}) =>
	await records('skill', 'create', {
		user: 'anna',
		skillName,
		skillDescription: 'Does it.',
		instructions: 'Do it.',
		visibility: 'public',
		...more,
	});
const told = (changes: IDataObject[]) =>
	changes.map(({ event, skill }) => `${event} ${(skill as IDataObject).name}`);

it('tells each change once, and nothing of what was there before', async () => {
	await create('old');
	const trigger = startTrigger();
	expect(await trigger.poll()).toEqual([]);
	await create('alpha');
	await records('skill', 'update', { user: 'anna', ...named('alpha'), changes: { content: 'x' } });
	await records('skill', 'delete', { user: 'anna', ...named('old') });
	expect(told(await trigger.poll())).toEqual(['created alpha', 'updated alpha', 'deleted old']);
	expect(await trigger.poll()).toEqual([]);
});

it('tells only the events and skills that were asked for', async () => {
	const trigger = startTrigger({ events: ['deleted'], filters: { tags: 'x' } });
	await trigger.poll();
	await create('alpha', { tags: 'x' });
	await create('beta');
	await records('skill', 'delete', { user: 'anna', ...named('alpha') });
	await records('skill', 'delete', { user: 'anna', ...named('beta') });
	expect(told(await trigger.poll())).toEqual(['deleted alpha']);
});

it("tells nobody of somebody else's private skills, but an administrator of all", async () => {
	const [boris, administrator] = [
		startTrigger({ user: 'boris' }),
		startTrigger({ actAsAdministrator: true }),
	];
	await boris.poll();
	await administrator.poll();
	await create('secret', { visibility: 'private' });
	expect(await boris.poll()).toEqual([]);
	expect(told(await administrator.poll())).toEqual(['created secret']);
});

it('shows the last change when it is tried out, and does not count it as told', async () => {
	const trigger = startTrigger();
	await trigger.poll();
	await create('alpha');
	expect(told(await trigger.poll('manual'))).toEqual(['created alpha']);
	expect(told(await trigger.poll())).toEqual(['created alpha']);
});

it('says what to do when there is nothing to try it out with', async () => {
	await expect(startTrigger().poll('manual')).rejects.toMatchObject({
		message: 'There is no skill to show yet',
		description: expect.stringContaining('Create one'),
	});
});

it('starts anew in another library', async () => {
	const trigger = startTrigger();
	await trigger.poll();
	await create('alpha');
	process.env.N8N_USER_FOLDER = `${process.env.N8N_USER_FOLDER}/other`;
	await create('beta');
	expect(await trigger.poll()).toEqual([]);
	await create('gamma');
	expect(told(await trigger.poll())).toEqual(['created gamma']);
});

it('looks at the skills themselves when the log was cut behind it', async () => {
	await create('old');
	const trigger = startTrigger();
	await trigger.poll();
	await create('alpha');
	await records('skill', 'update', { user: 'anna', ...named('old'), changes: { content: 'x' } });
	await create('beta');
	const file = join(String(process.env.N8N_USER_FOLDER), '.n8n/agent-skills-library.sqlite');
	const database = new DatabaseSync(file);
	database.exec('DELETE FROM changes WHERE sequence < (SELECT max(sequence) FROM changes)');
	database.close();
	const changes = told(await trigger.poll());
	expect(changes.sort()).toEqual(['created alpha', 'created beta', 'updated old']);
	expect(await trigger.poll()).toEqual([]);
});
