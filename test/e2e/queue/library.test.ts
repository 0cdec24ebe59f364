import { mapParallel } from '../../../nodes/core/parallel';
import { DONE, load } from '../support/bench';
import { library, newSkill, startLibrary } from '../support/library';
import { readWorld } from '../support/world';
import { startQueueWorld, type QueueWorld } from './support/world';

const STARTED_AT_MOST_MS = 400_000;
const SKILLS = 200;
const AT_A_TIME = 20;

let world: QueueWorld;
/** What each Skill Library node has to be in the Postgres that all workers use. */
let inPostgres: { credentials: Record<string, object> };

beforeAll(async () => {
	world = await startQueueWorld(readWorld().home);
	const credential = { id: world.library, name: 'Library' };
	inPostgres = { credentials: { agentSkillsPostgresApi: credential } };
}, STARTED_AT_MOST_MS);

afterAll(async () => await world?.stop(), STARTED_AT_MOST_MS);

const node = (operation: string, parameters: object) => ({
	parameters: { database: 'postgres', user: 'anna', resource: 'skill', operation, ...parameters },
	...inPostgres,
});
const skillById = { skill: { __rl: true, mode: 'id', value: '={{ $json.id }}' } };

/** A node that gives a skill the same word in every part: two words in one would be half a change. */
const BODY = '$("Webhook").item.json.body';
const word = (letter: string) => `={{ ${BODY}.name }}-${letter}`;
const create = () =>
	node('create', {
		skillName: `={{ ${BODY}.name }}`,
		skillDescription: word('a'),
		instructions: word('a'),
		tags: word('a'),
	});
const change = () =>
	node('update', {
		...skillById,
		changes: { description: word('b'), content: word('b'), tags: word('b') },
		options: { ifVersion: 1 },
	});
const readSome = (limit: object) => [node('getAll', limit), node('get', skillById)];

const wordsOf = ({ description, content, tags }: Record<string, unknown>) => [
	...new Set([description, content, ...(tags as unknown[])]),
];

it('two workers write and read 200 skills at once: none is lost, none is half', async () => {
	const flow = await startLibrary(world, [create(), change(), ...readSome({ limit: 5 })]);
	const names = Array.from({ length: SKILLS }, (_, index) => `skill-${index}`);
	const ask = async (name: string) => await flow.ask({ name });
	const answers = await mapParallel(names, ask, AT_A_TIME);
	expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
	const workers = answers.map(({ execution }) => world.workerOf(execution as string));
	expect(new Set(workers)).toEqual(new Set([0, 1]));
	const seen = answers.flatMap(({ items }) => items);
	expect(seen.length).toBeGreaterThan(SKILLS);
	expect(seen.filter((skill) => wordsOf(skill).length !== 1)).toEqual([]);

	const readAll = await startLibrary(world, readSome({ returnAll: true }));
	const { items: kept } = await readAll.ask();
	expect(kept.map(({ name, version }) => `${String(name)} ${String(version)}`).sort()).toEqual(
		names.map((name) => `${name} 2`).sort(),
	);
	expect(kept.filter((skill) => wordsOf(skill).join() !== `${String(skill.name)}-b`)).toEqual([]);
}, 300_000);

it('an agent on one worker gets what was changed on the other', async () => {
	const skill = newSkill('changing', 'Rule 0.', { visibility: 'public' });
	await library(world, 'skill', 'create', node('create', skill).parameters, inPostgres);
	const which = { skill: { __rl: true, mode: 'name', value: 'changing' } };
	const changes = { content: `={{ ${BODY}.rule }}` };
	const flow = await startLibrary(world, [node('update', { ...which, changes })]);
	const source = { parameters: { ...node('', {}).parameters, backend: 'library' }, ...inPostgres };
	const chat = await world.start({ version: 3.1, memory: false, source });
	let areApart = 0;
	for (let turn = 1; turn <= 6; turn++) {
		const { execution: changed } = await flow.ask({ rule: `Rule ${turn}.` });
		const { results, execution } = await chat.say('load', [load('changing'), DONE]);
		expect(results[0]).toContain(`Rule ${turn}.`);
		if (world.workerOf(changed as string) !== world.workerOf(execution.id)) areApart++;
	}
	expect(areApart).toBeGreaterThan(0);
});
