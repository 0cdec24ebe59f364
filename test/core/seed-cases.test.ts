import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { renderCatalog } from '../../nodes/core/catalog';
import { deliverLoaded } from '../../nodes/core/conversation';
import type { Sessions } from '../../nodes/core/loaded';
import { clearRegistryCache } from '../../nodes/core/registry';
import type { ToolContext } from '../../nodes/core/tools';
import {
	answer,
	counting,
	diskBackend,
	load,
	loadedNames,
	newStore,
	removeTempTrees,
	setOf,
	settle,
	skillText,
	skillTree,
	tempTree,
	toolContext,
	unload,
	type Tree,
} from './support';

beforeEach(clearRegistryCache);
afterAll(removeTempTrees);

async function onDisk(tree: Tree, more: Partial<ToolContext> = {}) {
	const root = await tempTree(tree);
	return toolContext(setOf(diskBackend(root)), more);
}

/** The prompt that the next model call gets. */
async function promptOf({ skills, store, execution }: ToolContext): Promise<string> {
	const snapshot = await skills.refresh();
	const { loaded, tail } = await deliverLoaded({
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
	});
	const options = {
		format: 'markdown',
		template: '',
		maxTokens: 0,
		showWarnings: true,
		prefix: '',
	} as const;
	return renderCatalog({ snapshot, loaded, tail }, options);
}

describe('state before the first call', () => {
	it('test_before_agent_initializes_new_state: a new conversation has no loaded skills and no files', async () => {
		const context = await onDisk(skillTree({ 'test-skill': 'Test' }));
		const { skills } = await context.skills.refresh();
		expect(skills.map((skill) => skill.name)).toEqual(['test-skill']);
		expect(await context.store.read()).toEqual([]);
	});

	it('test_before_agent_idempotent: a second look reads no file again and changes nothing', async () => {
		const root = await tempTree(skillTree({ 'test-skill': 'Test' }));
		const { backend, calls } = counting(diskBackend(root));
		const set = setOf(backend);
		await settle();
		const first = await set.refresh();
		expect(await set.refresh()).toEqual(first);
		expect(calls.reads).toBe(1);
	});
});

describe('backward compatibility', () => {
	it('test_v1_skills_work_without_modification: a skill of only a SKILL.md is enough', async () => {
		const context = await onDisk({
			'v1-skill/SKILL.md': skillText(
				'v1-skill',
				'A V1 skill without resources',
				'# V1 Skill\n\nThis skill has no resource directories.\n',
			),
		});
		const { skills, diagnostics } = await context.skills.refresh();
		expect(skills).toHaveLength(1);
		expect(diagnostics).toEqual([]);
		const text = await load(context, 'v1-skill');
		expect(text).toContain('This skill has no resource directories.');
		expect(text).not.toContain('Skill Resources:');
	});

	it('test_read_file_still_works_for_skills: SKILL.md can be read as a file, which loads nothing', async () => {
		const context = await onDisk(skillTree({ 'test-skill': 'Test' }));
		const text = await answer(context, 'read_skill_file', {
			skill_name: 'test-skill',
			paths: ['SKILL.md'],
		});
		expect(text).toContain('name: test-skill');
		expect(text).toContain('description: Test');
		expect(await loadedNames(context)).toEqual([]);
	});
});

describe('integration', () => {
	it('test_load_skill_then_read_resource: a listed file can be read', async () => {
		const context = await onDisk({
			...skillTree({ 'test-skill': 'Test' }),
			'test-skill/scripts/helper.py': "def helper(): return 'hello'",
		});
		const path = /- \[script\] `(.+)`/.exec(await load(context, 'test-skill'))?.[1];
		const text = await answer(context, 'read_skill_file', {
			skill_name: 'test-skill',
			paths: [path],
		});
		expect(text).toContain('def helper');
	});

	it('test_new_agent_initializes_empty_skills_loaded: another agent starts with nothing loaded', async () => {
		const live: Sessions = new Map();
		const main = await onDisk(skillTree({ 'test-skill': 'Test' }), {
			store: newStore(live, { state: 'main', session: '1' }),
		});
		await load(main, 'test-skill');
		const sub = { ...main, store: newStore(live, { state: 'sub-agent', session: '1' }) };
		expect(await loadedNames(sub)).toEqual([]);
		expect(await load(sub, 'test-skill')).toMatch(/^<skill_content/);
	});

	it('test_unload_skill_updates_system_prompt: the mark comes and goes', async () => {
		const context = await onDisk(skillTree({ 'test-skill': 'Test' }));
		await load(context, 'test-skill');
		expect(await promptOf(context)).toContain('**test-skill** [Loaded]');
		await unload(context, 'test-skill');
		const after = await promptOf(context);
		expect(after).toContain('**test-skill**:');
		expect(after).not.toContain('**test-skill** [Loaded]');
	});

	it('test_load_unload_reload_lifecycle: load, unload, load again', async () => {
		const context = await onDisk(skillTree({ 'test-skill': 'Test' }));
		await load(context, 'test-skill');
		expect(await loadedNames(context)).toEqual(['test-skill']);
		await unload(context, 'test-skill');
		expect(await loadedNames(context)).toEqual([]);
		expect(await load(context, 'test-skill')).toMatch(/^<skill_content/);
		expect(await loadedNames(context)).toEqual(['test-skill']);
	});

	it('test_max_loaded_skills_with_unload: unloading makes room for another', async () => {
		const tree = skillTree({ 'skill-0': 'Skill 0', 'skill-1': 'Skill 1', 'skill-2': 'Skill 2' });
		const context = await onDisk(tree, { maxLoaded: 2 });
		await load(context, 'skill-0');
		await load(context, 'skill-1');
		expect(await load(context, 'skill-2')).toContain('Maximum number');
		await unload(context, 'skill-0');
		expect(await load(context, 'skill-2')).toMatch(/^<skill_content/);
		expect(await loadedNames(context)).toEqual(['skill-1', 'skill-2']);
	});

	it('sixth_integration_case: two skills, their prompt, one unloaded, a new execution, all in one', async () => {
		const context = await onDisk(skillTree({ 'skill-a': 'A', 'skill-b': 'B' }));
		await load(context, 'skill-a');
		await load(context, 'skill-b');
		await unload(context, 'skill-a');
		const next = { ...context, execution: 'run-2' };
		const prompt = await promptOf(next);
		expect(prompt).toContain('**skill-a**:');
		expect(prompt).toContain('**skill-b** [Loaded]');
		expect(prompt).toContain('<skill_content name="skill-b"');
		expect(prompt).not.toContain('<skill_content name="skill-a"');
		expect(await load(next, 'skill-b')).toContain('already loaded');
	});
});

describe('test/seed-cases.md', () => {
	const UNIT = [
		'test_discover_resources_standard_dirs',
		'test_discover_resources_empty_skill',
		'test_discover_resources_backend_error',
		'test_discover_resources_non_standard_dirs_ignored',
		'test_discover_resources_root_level_files',
		'test_before_agent_initializes_new_state',
		'test_before_agent_idempotent',
		'test_load_skill_returns_command_with_content',
		'test_load_skill_updates_skills_loaded',
		'test_load_skill_updates_skill_resources',
		'test_load_skill_not_found_returns_error',
		'test_load_skill_already_loaded_returns_message',
		'test_load_skill_file_read_error',
		'test_load_skill_file_size_exceeded',
		'test_load_skill_max_loaded_reached',
		'test_unload_skill_success',
		'test_unload_skill_clears_resources',
		'test_unload_skill_not_loaded_returns_error',
		'test_unload_skill_then_reload',
		'test_format_skills_list_with_loaded_status',
		'test_format_skills_list_with_resources',
		'test_format_skills_list_load_skill_guidance',
		'test_v1_skills_work_without_modification',
		'test_read_file_still_works_for_skills',
	];
	const INTEGRATION = [
		'test_load_skill_then_read_resource',
		'test_new_agent_initializes_empty_skills_loaded',
		'test_unload_skill_updates_system_prompt',
		'test_load_unload_reload_lifecycle',
		'test_max_loaded_skills_with_unload',
		'sixth_integration_case',
	];

	async function rows() {
		const text = await readFile(join(__dirname, '../seed-cases.md'), 'utf8');
		return [...text.matchAll(/^\| `(\w+)` +\| `([\w./-]+)` +\| (.+?) +\|$/gm)].map(
			([, seedCase, file, name]) => ({ seedCase, file, name }),
		);
	}

	it('lists all 24 unit and 6 integration cases, each once', async () => {
		expect((await rows()).map((row) => row.seedCase)).toEqual([...UNIT, ...INTEGRATION]);
		expect([UNIT.length, INTEGRATION.length]).toEqual([24, 6]);
	});

	it('names a test that exists in the named file and begins with the name of the case', async () => {
		for (const { seedCase, file, name } of await rows()) {
			const source = await readFile(join(__dirname, '..', file), 'utf8');
			expect({ seedCase, isThere: source.includes(`it('${seedCase}: ${name}'`) }).toEqual({
				seedCase,
				isThere: true,
			});
		}
	});
});
