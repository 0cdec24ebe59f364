import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import fc from 'fast-check';

import { clearLooks } from '../../nodes/core/backends/looks';
import { nameFilter } from '../../nodes/core/pattern';
import { clearRegistryCache } from '../../nodes/core/registry';
import { createSkillSet } from '../../nodes/core/skillset';
import type { SkillBackend, SkillSet } from '../../nodes/core/types';
import { diskBackend, removeTempTrees, settle, skillText, skillTree, tempTree } from './support';

// The disk is waited for, and may be busy.
jest.setTimeout(60_000);
afterAll(removeTempTrees);

const FOLDERS = ['base', 'user', 'project'];
const NAMES = ['alpha', 'beta', 'gamma', 'delta'];
const isVisible = nameFilter([], ['gamma']);

/** What a person does to a skill; null: deletes it. */
const TEXTS: Array<(name: string, description: string) => string | null> = [
	(name, description) => skillText(name, description),
	(name, description) => skillText(name, `${description}\nlicense: MIT`),
	(name, description) => skillText(`${name}-renamed`, description),
	(name, description) => skillText(name, `${description}\ndisable-model-invocation: true`),
	() => 'There is no header.',
	() => null,
];

const change = fc.record({
	folder: fc.constantFrom(...FOLDERS),
	name: fc.constantFrom(...NAMES),
	text: fc.nat(TEXTS.length - 1),
	description: fc.constantFrom('One.', 'Two.', 'Three: with a colon.'),
});

/** Two sources over a third as "Base Skills". */
function skillsOf(backend: SkillBackend): SkillSet {
	const [base, ...own] = FOLDERS.map((label) => ({ path: `/${label}`, label }));
	const below = createSkillSet({ backend, sources: [base] });
	return createSkillSet({ backend, sources: own, base: below, isVisible });
}

/** What is found; the hash of a file is known only where discovery had to read all of it. */
async function found(skills: SkillSet) {
	const snapshot = await skills.refresh();
	return { ...snapshot, skills: snapshot.skills.map((one) => ({ ...one, contentHash: '' })) };
}

let processes = 0;
/** A process that never saw these skills has nothing remembered under this name. */
const ofNewProcess = (backend: SkillBackend) => ({ ...backend, id: `process ${processes++}` });

it.each([
	['at once', async () => undefined],
	['after the disk has come to rest', settle],
])(
	'after any changes, looked at %s, skills are those that a new process finds',
	async (_, wait) => {
		const changes = fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { maxLength: 5 });
		await fc.assert(
			fc.asyncProperty(changes, async (rounds) => {
				clearRegistryCache();
				clearLooks();
				const tree = Object.fromEntries(NAMES.map((name) => [name, 'As it was.']));
				const trees = FOLDERS.map((folder) => skillTree(tree, `${folder}/`));
				const root = await tempTree(Object.assign({}, ...trees) as Record<string, string>);
				const backend = diskBackend(root);
				await skillsOf(backend).refresh();
				for (const round of rounds) {
					await wait();
					for (const { folder, name, text, description } of round) {
						const file = join(root, folder, name, 'SKILL.md');
						const written = TEXTS[text](name, description);
						if (written === null) await rm(dirname(file), { recursive: true, force: true });
						else {
							await mkdir(dirname(file), { recursive: true });
							await writeFile(file, written);
						}
					}
					const inNewProcess = await found(skillsOf(ofNewProcess(backend)));
					expect(await found(skillsOf(backend))).toEqual(inNewProcess);
				}
			}),
			{ numRuns: wait === settle ? 10 : 60 },
		);
	},
);

it('of one edited skill all others, and what is said of them, are the very same as before', async () => {
	const root = await tempTree(skillTree({ alpha: 'A', beta: 'B', gamma: 'C' }));
	await settle();
	const skills = createSkillSet({
		backend: diskBackend(root),
		sources: [{ path: '/', label: 'Test' }],
	});
	const before = await skills.refresh();
	await writeFile(join(root, 'beta', 'SKILL.md'), skillText('beta', 'edited'));
	const after = await skills.refresh();
	expect(after.skills.map(({ description }) => description)).toEqual(['A', 'edited', 'C']);
	expect(after.skills[0]).toBe(before.skills[0]);
	expect(after.diagnostics).toBe(before.diagnostics);
	expect(before.skills[1].description).toBe('B');
});
