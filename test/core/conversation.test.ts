import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { renderCatalog } from '../../nodes/core/catalog';
import {
	deliverLoaded,
	offeredNames,
	undeliveredPins,
	unknownPins,
	type Conversation,
} from '../../nodes/core/conversation';
import type { LoadedStore } from '../../nodes/core/loaded';
import { clearRegistryCache } from '../../nodes/core/registry';
import type { SkillSet } from '../../nodes/core/types';
import {
	answer,
	diskBackend,
	load,
	loadedNames,
	memoryBackend,
	newStore,
	removeTempTrees,
	setOf,
	skillText,
	skillTree,
	tempTree,
	toolContext,
	type Tree,
} from './support';

beforeEach(clearRegistryCache);
afterAll(removeTempTrees);

/** A conversation over a real folder: prompts and tool calls in executions of their own. */
async function talk(tree: Tree) {
	const root = await tempTree(tree);
	const skills = setOf(diskBackend(root));
	const store = newStore();
	const tools = (execution: string) => toolContext(skills, { store, execution });
	const prompt = async (execution: string, more: Partial<Conversation> = {}) =>
		await deliver(skills, store, execution, more);
	return { root, store, tools, prompt, skills };
}

async function deliver(
	skills: SkillSet,
	store: LoadedStore,
	execution: string,
	more: Partial<Conversation> = {},
) {
	const snapshot = await skills.refresh();
	const delivery = await deliverLoaded({
		skills,
		snapshot,
		store,
		execution,
		pinned: [],
		repeatInstructions: true,
		message: '',
		maxLoaded: 10,
		prefix: '',
		now: () => 1,
		...more,
	});
	return { ...delivery, text: delivery.tail.join('\n\n'), snapshot };
}

const TREE = {
	...skillTree({ a: 'A', b: 'B' }),
	'a/SKILL.md': skillText('a', 'A', 'Steps of a'),
	'a/scripts/run.py': 'x',
};

describe('instructions given again', () => {
	it('nothing is loaded: nothing is said', async () => {
		const { prompt } = await talk(TREE);
		expect(await prompt('run-1')).toMatchObject({ tail: [], hints: [], loaded: new Map() });
	});

	it('a skill loaded in an earlier execution comes in full, with its files', async () => {
		const { prompt, tools } = await talk(TREE);
		await load(tools('run-1'), 'a');
		const { text, loaded } = await prompt('run-2');
		expect(text).toMatch(/^## Loaded Skills/);
		expect(text).toContain('Steps of a');
		expect(text).toContain('- [script] `scripts/run.py`');
		expect([...loaded.keys()]).toEqual(['a']);
		expect(text).not.toContain('has changed');
	});

	it('the tool then knows that the model has it', async () => {
		const { prompt, tools } = await talk(TREE);
		await load(tools('run-1'), 'a');
		await prompt('run-2');
		expect(await load(tools('run-2'), 'a')).toContain('already loaded');
	});

	it('switched off, the mark stays, the text is left to the tool', async () => {
		const { prompt, tools } = await talk(TREE);
		await load(tools('run-1'), 'a');
		const { text, loaded } = await prompt('run-2', { repeatInstructions: false });
		expect(text).toBe('');
		expect([...loaded.keys()]).toEqual(['a']);
		expect(await load(tools('run-2'), 'a')).toContain('loaded earlier');
	});

	it('a changed skill is said to have changed', async () => {
		const { root, prompt, tools } = await talk(TREE);
		await load(tools('run-1'), 'a');
		await writeFile(join(root, 'a/SKILL.md'), skillText('a', 'A', 'New steps'));
		const { text } = await prompt('run-2');
		expect(text).toContain('This skill has changed since it was loaded');
		expect(text).toContain('New steps');
		expect((await prompt('run-3')).text).not.toContain('has changed');
	});

	it('a deleted skill is dropped, and it is said once', async () => {
		const { root, prompt, tools, store } = await talk(TREE);
		await load(tools('run-1'), 'a');
		await rm(join(root, 'a'), { recursive: true });
		const { text, loaded } = await prompt('run-2');
		expect(text).toBe("Note: the skill 'a' was removed from the library and is no longer loaded.");
		expect(loaded.size).toBe(0);
		expect(await loadedNames({ store })).toEqual([]);
		expect((await prompt('run-3')).text).toBe('');
	});

	it('a skill whose file is broken just now is neither given nor dropped', async () => {
		const { root, prompt, tools, store } = await talk(TREE);
		await load(tools('run-1'), 'a');
		await writeFile(join(root, 'a/SKILL.md'), 'oops');
		expect((await prompt('run-2')).text).toBe('');
		expect(await loadedNames({ store })).toEqual(['a']);
	});

	it('a file that cannot be read at that moment is said, not thrown', async () => {
		const { prompt, tools, skills } = await talk(TREE);
		await load(tools('run-1'), 'a');
		const failing: SkillSet = { ...skills, load: async () => ({ problem: 'Failed to\nread' }) };
		expect((await prompt('run-2', { skills: failing })).text).toContain('(Error: Failed to read)');
	});

	it('several skills come in the order they were loaded', async () => {
		const { prompt, tools } = await talk(TREE);
		await load(tools('run-1'), 'b');
		await load(tools('run-1'), 'a');
		const { text } = await prompt('run-2');
		expect(text.indexOf('name="b"')).toBeLessThan(text.indexOf('name="a"'));
	});

	it('stands last in the prompt', async () => {
		const { prompt, tools } = await talk(TREE);
		await load(tools('run-1'), 'a');
		const { snapshot, loaded, tail } = await prompt('run-2');
		const options = {
			format: 'compact',
			template: '',
			maxTokens: 0,
			showWarnings: true,
			prefix: '',
		} as const;
		const text = renderCatalog({ snapshot, loaded, tail }, options);
		expect(text.indexOf('## Loaded Skills')).toBeGreaterThan(text.indexOf('Loaded skills: a'));
		expect(text.endsWith(tail[0])).toBe(true);
	});
});

describe('a person asks outright', () => {
	it.each(['/a please', '/a', '  /a\nand more', '/A do it'])(
		'%j loads the skill',
		async (message) => {
			const { prompt, store } = await talk(TREE);
			const { text, hints, loaded } = await prompt('run-1', { message });
			expect(text).toContain('Steps of a');
			expect(hints).toEqual(['The skill "a" has been activated by the user.']);
			expect([...loaded.keys()]).toEqual(['a']);
			expect(await loadedNames({ store })).toEqual(['a']);
		},
	);

	it.each(['/nope x', 'use /a', '/a/b', '//a', '/', 'a', ''])(
		'%j loads nothing',
		async (message) => {
			const { prompt } = await talk(TREE);
			expect((await prompt('run-1', { message })).text).toBe('');
		},
	);

	it('for a skill that the model is not offered, whose files it may then read', async () => {
		const { prompt, tools } = await talk({
			'deploy/SKILL.md':
				'---\nname: deploy\ndescription: d\ndisable-model-invocation: true\n---\nShip it',
			'deploy/notes.md': 'notes',
		});
		expect((await prompt('run-1', { message: '/deploy now' })).text).toContain('Ship it');
		const read = { skill_name: 'deploy', paths: ['notes.md'] };
		expect(await answer(tools('run-1'), 'read_skill_file', read)).toContain(
			'notes\n</skill_content>',
		);
	});

	it('for one that is loaded: given once, no second hint', async () => {
		const { prompt, tools } = await talk(TREE);
		await load(tools('run-1'), 'a');
		const { text, hints } = await prompt('run-2', { message: '/a again' });
		expect(text.match(/<skill_content/g)).toHaveLength(1);
		expect(hints).toEqual([]);
	});

	it('above the budget: given for this message, and not loaded', async () => {
		const { prompt, tools, store } = await talk(TREE);
		await load(tools('run-1'), 'a');
		const { text, hints } = await prompt('run-2', { message: '/b please', maxLoaded: 1 });
		expect(text).toContain('name="b"');
		expect(hints).toEqual([expect.stringContaining('for this message only')]);
		expect((await store.read()).map(({ name }) => name)).toEqual(['a']);
	});

	it('for one that the source hides: nothing', async () => {
		const skills = setOf(memoryBackend(skillTree({ a: 'A' })), { isVisible: () => false });
		const { text } = await deliver(skills, newStore(), 'run-1', { message: '/a' });
		expect(text).toBe('');
	});
});

describe('pins', () => {
	it('are given in full in every execution, first, and take no slot', async () => {
		const { prompt, tools, store } = await talk(TREE);
		await load(tools('run-1'), 'a');
		for (const execution of ['run-2', 'run-3']) {
			const { text, loaded, hints } = await prompt(execution, { pinned: ['b'] });
			expect(text.indexOf('name="b"')).toBeLessThan(text.indexOf('name="a"'));
			expect([...loaded.keys()].sort()).toEqual(['a', 'b']);
			expect(hints).toEqual([]);
		}
		expect((await store.read()).find((one) => one.name === 'b')?.pinned).toBe(true);
	});

	it('are given once, however often and however they are named', async () => {
		const { prompt } = await talk(TREE);
		const { text } = await prompt('run-1', { pinned: ['a', 'A', 'a'], message: '/a' });
		expect(text.match(/<skill_content/g)).toHaveLength(1);
	});

	it('are not said to be dropped when they go', async () => {
		const { root, prompt } = await talk(TREE);
		await prompt('run-1', { pinned: ['a'] });
		await rm(join(root, 'a'), { recursive: true });
		expect((await prompt('run-2', { pinned: ['a'] })).text).toBe('');
	});

	it('that no skill has are named', async () => {
		const { skills } = await talk(TREE);
		const snapshot = await skills.refresh();
		expect(unknownPins(snapshot, ['a', 'nope', 'B'])).toEqual(['nope']);
	});

	it('are offered even if the model would not be', async () => {
		const skills = setOf(
			memoryBackend({
				'x/SKILL.md': '---\nname: x\ndescription: d\ndisable-model-invocation: true\n---\n',
				...skillTree({ a: 'A' }),
			}),
		);
		const snapshot = await skills.refresh();
		expect(offeredNames(snapshot, [])).toEqual(['a']);
		expect(offeredNames(snapshot, ['x'])).toEqual(['a', 'x']);
	});
});

describe('undeliveredPins', () => {
	async function pinsOf(catalog: string, store: LoadedStore, pinned = ['a', 'nope', 'A']) {
		const skills = setOf(memoryBackend(skillTree({ a: 'A' })));
		const snapshot = await skills.refresh();
		return await undeliveredPins({ skills, snapshot, store, catalog, pinned, prefix: '' });
	}

	it('gives what no catalog gave in this execution', async () => {
		expect(await pinsOf('run-1', newStore())).toEqual([expect.stringContaining('<skill_content')]);
	});

	it('gives nothing that a catalog gave', async () => {
		const store = newStore();
		const entry = { name: 'a', hash: 'h', at: 1, execution: 'run-1', pinned: true, resources: [] };
		await store.record(entry, 1);
		expect(await pinsOf('run-1', store)).toEqual([]);
		expect(await pinsOf('run-2', store)).toHaveLength(1);
	});

	it('without an execution id gives them always', async () => {
		const store = newStore();
		await store.record({ name: 'a', hash: 'h', at: 1, execution: '', resources: [] }, 1);
		expect(await pinsOf('', store)).toHaveLength(1);
	});

	it('says what cannot be read', async () => {
		const real = setOf(memoryBackend(skillTree({ a: 'A' })));
		const skills: SkillSet = { ...real, load: async () => ({ problem: 'Failed to read' }) };
		const snapshot = await skills.refresh();
		const rest = { snapshot, store: newStore(), catalog: 'x', pinned: ['a'], prefix: '' };
		expect(await undeliveredPins({ skills, ...rest })).toEqual(['(Error: Failed to read)']);
	});
});
