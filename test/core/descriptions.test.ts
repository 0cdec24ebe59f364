import { toJsonSchema } from '@langchain/core/utils/json_schema';

import { describeTool, modelSchema, type ToolTexts } from '../../nodes/core/descriptions';
import { toolArguments, type ToolName } from '../../nodes/core/schema';

const texts = (more: Partial<ToolTexts> = {}): ToolTexts => ({
	prefix: '',
	names: ['pdf', 'git'],
	catalog: '',
	pins: [],
	...more,
});
const TOOLS = Object.keys(toolArguments) as ToolName[];

interface JsonSchema {
	type?: string;
	enum?: string[];
	description?: string;
	required?: string[];
	properties?: Record<string, JsonSchema>;
	items?: JsonSchema;
}

const seen = (tool: ToolName, more?: Partial<ToolTexts>) =>
	toJsonSchema(modelSchema(tool, texts(more))) as JsonSchema;
const names = (amount: number) => Array.from({ length: amount }, (_, index) => `skill-${index}`);

describe('the schema that the model sees', () => {
	it('lists the names of load_skill as an enum', () => {
		expect(seen('load_skill').properties?.skill_name).toMatchObject({
			type: 'string',
			enum: ['pdf', 'git'],
			description: expect.stringContaining('Name of the skill'),
		});
	});

	it('lists up to 100 names, more not at all', () => {
		expect(seen('load_skill', { names: names(100) }).properties?.skill_name.enum).toHaveLength(100);
		const open = seen('load_skill', { names: names(101) }).properties?.skill_name;
		expect(open).toMatchObject({ type: 'string' });
		expect(open).not.toHaveProperty('enum');
	});

	it('takes any text without skills', () => {
		expect(seen('load_skill', { names: [] }).properties?.skill_name).toMatchObject({
			type: 'string',
		});
	});

	it('takes names against the rules into the enum', () => {
		const odd = ['My Skill', '日本語', 'a&b'];
		expect(seen('load_skill', { names: odd }).properties?.skill_name.enum).toEqual(odd);
	});

	it.each([
		['load_skill', ['skill_name']],
		['unload_skill', ['skill_name']],
		['read_skill_file', ['skill_name', 'paths']],
		['search_skills', ['query']],
	] as const)('%s requires %j and no more', (tool, required) => {
		expect(seen(tool).required).toEqual(required);
	});

	it.each(TOOLS)(
		'%s has exactly the arguments that the strict check takes, each described',
		(tool) => {
			const properties = seen(tool).properties ?? {};
			expect(Object.keys(properties)).toEqual(Object.keys(toolArguments[tool].shape));
			for (const one of Object.values(properties)) expect(one.description).toMatch(/\w/);
		},
	);

	it('says the types', () => {
		const { paths, offset, limit } = seen('read_skill_file').properties ?? {};
		expect(paths).toMatchObject({ type: 'array', items: { type: 'string' } });
		expect([offset.type, limit.type]).toEqual(['integer', 'integer']);
	});
});

describe('the schema lets everything through, as a refusal would end the workflow', () => {
	it.each([
		['an invented name', 'load_skill', { skill_name: 'invented' }],
		['a number', 'load_skill', { skill_name: 7 }],
		['null', 'unload_skill', { skill_name: null }],
		['nothing', 'load_skill', {}],
		['keys of its own', 'load_skill', { skill_name: 'pdf', sessionId: 'x' }],
		['one path', 'read_skill_file', { skill_name: 'pdf', paths: 'x.md' }],
		['numbers as text', 'read_skill_file', { skill_name: 'pdf', paths: ['x'], offset: '7' }],
		['a list for a query', 'search_skills', { query: ['a'] }],
	] as const)('%s', (_, tool, input) => {
		expect(modelSchema(tool, texts()).parse(input)).toEqual(input);
	});
});

describe('descriptions', () => {
	it.each(TOOLS)('%s says what it does', (tool) => {
		expect(describeTool(tool, texts()).length).toBeGreaterThan(40);
	});

	it('load_skill says how many skills there are', () => {
		expect(describeTool('load_skill', texts())).toContain('2 skills available.');
		expect(describeTool('load_skill', texts({ names: ['a'] }))).toContain('1 skill available.');
		expect(describeTool('load_skill', texts({ names: [] }))).toContain('There are no skills yet.');
	});

	it('load_skill points to the search when there are too many to list', () => {
		const text = describeTool('load_skill', texts({ names: names(101), prefix: 'p_' }));
		expect(text).toContain('Find them with p_search_skills.');
		expect(describeTool('load_skill', texts())).not.toContain('search_skills');
	});

	it('load_skill carries the catalog and the pins where no catalog node does', () => {
		const text = describeTool('load_skill', texts({ catalog: 'THE CATALOG', pins: ['P1', 'P2'] }));
		expect(text).toContain('THE CATALOG');
		expect(text).toMatch(/always loaded; follow them:\n\nP1\n\nP2$/);
	});

	it('names other tools with their prefix', () => {
		expect(describeTool('read_skill_file', texts({ prefix: 'p_' }))).toContain('p_load_skill');
	});
});
