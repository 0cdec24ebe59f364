import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { picture } from '../engine/support/picture';
import { host } from '../shared/support/contexts';
import { sourcePackage } from '../shared/support/sources';

import {
	NodeHelpers,
	type INode,
	type INodeInputConfiguration,
	type INodeOutputConfiguration,
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { SkillLibrary } from '../../nodes/SkillLibrary/SkillLibrary.node';
import { OPERATIONS } from '../../nodes/shared/library/operations';

const ROOT = join(__dirname, '../..');
const { n8n } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
	n8n: { nodes: string[] };
};
const SOURCE = 'n8n-nodes-agent-skills.skillsSource';
const CATALOG = 'n8n-nodes-agent-skills.skillCatalogPrompt';
const LOADER = 'n8n-nodes-agent-skills.skillLoader';
const LIBRARY = 'n8n-nodes-agent-skills.skillLibrary';

const descriptions = sourcePackage().nodes.map(({ description }) => description);
const nodes = descriptions.map((description, index): [string, INodeTypeDescription, string] => [
	description.displayName,
	description,
	join(ROOT, n8n.nodes[index].replace(/^dist\//, '').replace(/\.js$/, '')),
]);

/** All parameters, those inside of collections too, by their path. */
function allParameters(properties: INodeProperties[], path = ''): Array<[string, INodeProperties]> {
	return properties.flatMap((property) => {
		const here = path + property.name;
		const inner = (property.options ?? []).flatMap((option) => {
			if ('values' in option) {
				const { name, values } = option as INodePropertyCollection;
				return allParameters(values, `${here}.${name}.`);
			}
			return 'type' in option ? allParameters([option as INodeProperties], `${here}.`) : [];
		});
		return [[here, property], ...inner] as Array<[string, INodeProperties]>;
	});
}

it('package.json lists all nodes, in the order of the sources here', () => {
	const names = nodes.map(([, { displayName }]) => displayName.replaceAll(' ', ''));
	expect(n8n.nodes).toEqual(names.map((name) => `dist/nodes/${name}/${name}.node.js`));
});

describe.each(nodes)('%s', (displayName, description, file) => {
	it('is called so on the canvas', () => {
		expect(description.defaults.name).toBe(displayName);
	});

	it('has a type name without "tool", which would make the editor show a false hint', () => {
		expect(description.name).toMatch(/^skill[A-Za-z]+$/);
		expect(description.name).not.toMatch(/tool/i);
	});

	it('is no tool of its own, unless it works without sub-nodes: tool versions get no such inputs', () => {
		const usableAsTool = displayName === 'Skill Library' ? true : undefined;
		expect(description.usableAsTool).toBe(usableAsTool);
	});

	it('has an icon for light and dark', () => {
		const { light, dark } = description.icon as { light: string; dark: string };
		const path = (icon: string) => join(dirname(file), icon.replace(/^file:/, ''));
		expect(light).not.toBe(dark);
		expect([path(light), path(dark)].filter((icon) => !existsSync(icon))).toEqual([]);
		expect(readFileSync(path(light), 'utf8')).toMatch(/^<svg /);
	});

	it('has a codex file for its type, with resources, without which n8n drops it', () => {
		const codex = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as Record<string, unknown>;
		expect(codex.node).toBe(`n8n-nodes-agent-skills.${description.name}`);
		expect(codex.resources).toMatchObject({ primaryDocumentation: [{ url: expect.any(String) }] });
	});

	it('is a sub-node, or one that n8n does not hide from a canvas without AI', () => {
		const { categories, subcategories } = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as {
			categories: string[];
			subcategories?: { AI?: string[] };
		};
		const isHidden = categories.includes('AI') && !subcategories?.AI?.includes('Root Nodes');
		expect(isHidden).toBe(['Skills Source', 'Skill Loader Tool'].includes(displayName));
	});

	it('explains every parameter that does not explain itself', () => {
		const plain = new Set(['notice', 'importNotice', 'options', 'operation', 'path', 'content']);
		const unexplained = allParameters(description.properties).filter(
			([, { name, description: text, hint }]) => !text && !hint && !plain.has(name),
		);
		expect(unexplained.map(([path]) => path)).toEqual([]);
	});

	it('has no two parameters of one name that are shown at the same time', () => {
		const paths = description.properties.flatMap(({ name, displayOptions }) => {
			const { resource = [''], operation = [''], ...rest } = displayOptions?.show ?? {};
			const places = resource.flatMap((one) => operation.map((two) => [one, two]));
			return places.map((place) => JSON.stringify([name, place, rest]));
		});
		expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
	});

	it('shows a placeholder as an example', () => {
		const placeholders = allParameters(description.properties)
			.filter(([, { type }]) => type === 'string')
			.flatMap(([, { placeholder }]) => placeholder ?? []);
		expect(placeholders.filter((text) => !text.startsWith('e.g. '))).toEqual([]);
	});

	it('fills all its defaults without complaint', () => {
		const node = { parameters: {}, type: 'x', typeVersion: 1 } as INode;
		const { properties } = description;
		const parameters = NodeHelpers.getNodeParameters(properties, {}, true, false, node, null);
		const filled = { ...node, parameters: parameters ?? {} };
		expect(NodeHelpers.getNodeParametersIssues(properties, filled, null)).toBeNull();
	});
});

describe('connections', () => {
	const [source, catalog, loader] = descriptions;

	it('Skills Source takes one Skills Source underneath, if any', () => {
		expect(source.inputs).toMatchObject([
			{
				displayName: 'Base Skills',
				required: false,
				maxConnections: 1,
				filter: { nodes: [SOURCE] },
			},
		]);
	});

	it('Skills Source is offered to our own nodes only', () => {
		const [output] = source.outputs as INodeOutputConfiguration[];
		expect(output).toMatchObject({
			type: 'ai_document',
			displayName: 'Skills',
			filter: { nodes: [CATALOG, LOADER, SOURCE, LIBRARY] },
		});
	});

	it('Skill Catalog Prompt passes items through and takes one Skills Source', () => {
		const [main, skills, state] = catalog.inputs as [string, ...INodeInputConfiguration[]];
		expect(main).toBe('main');
		expect(state).toMatchObject({ displayName: 'Shared State', maxConnections: 1 });
		expect(skills).toMatchObject({ displayName: 'Skills', filter: { nodes: [SOURCE] } });
		expect(catalog.outputs).toEqual(['main']);
	});

	it('Skill Loader Tool takes one Skills Source and is a tool', () => {
		expect(loader.inputs).toMatchObject([
			{ displayName: 'Skills', required: true },
			{ displayName: 'Shared State', required: false },
		]);
		expect(loader.outputs).toEqual(['ai_tool']);
	});
});

describe('what catalog and loader have in common', () => {
	const optionsOf = ({ properties }: INodeTypeDescription) =>
		(properties.find(({ name }) => name === 'options')?.options ?? []) as INodeProperties[];
	const [, catalog, loader] = descriptions;

	it.each(['session', 'stateName', 'noSession', 'toolPrefix'])('is the option "%s"', (name) => {
		const [one, two] = [catalog, loader].map((node) =>
			optionsOf(node).find((option) => option.name === name),
		);
		expect(one).toBeDefined();
		expect(one).toEqual(two);
	});

	it('is that the session is shown with the trigger, which the model cannot touch', () => {
		const session = optionsOf(loader).find(({ name }) => name === 'session');
		expect(session?.placeholder).toContain("$('Webhook').item.json");
	});
});

describe('subtitles', () => {
	const subtitleOf = (node: string, options: Parameters<typeof picture>[0]) => {
		const workflow = host.open(picture(options));
		const found = workflow.getNode(node) as INode;
		const { description } = workflow.nodeTypes.getByNameAndVersion(found.type);
		return workflow.expression.getSimpleParameterValue(found, description.subtitle, 'internal', {});
	};

	it.each([
		['filesystem', 'Folders on disk'],
		['data', 'Workflow data'],
		['github', 'GitHub'],
		['website', 'Website'],
		['library', 'Skill Library'],
	])('Skills Source over %s: %s', (backend, text) => {
		expect(subtitleOf('Source', { source: { backend } })).toBe(text);
	});

	it.each([
		['markdown', 'Markdown'],
		['xml', 'XML'],
		['compact', 'Compact'],
		['custom', 'Own template'],
	])('Skill Catalog Prompt in %s: %s', (format, text) => {
		expect(subtitleOf('Catalog', { catalog: { format } })).toBe(text);
	});

	it.each([
		[{}, 'getAll: skill'],
		[{ resource: 'transfer', operation: 'import' }, 'import: skills'],
		[{ resource: 'sync', operation: 'toFolder' }, 'toFolder: skills'],
	])('Skill Library with %j: %s', (parameters, text) => {
		const node = { name: 'L', type: LIBRARY, typeVersion: 1, position: [0, 0], parameters };
		const workflow = host.open({ nodes: [node] as INode[], connections: {} });
		const opened = workflow.getNode('L') as INode;
		const { subtitle } = workflow.nodeTypes.getByNameAndVersion(LIBRARY).description;
		expect(workflow.expression.getSimpleParameterValue(opened, subtitle, 'internal', {})).toBe(
			text,
		);
	});

	it('Skill Loader Tool: the number of skills', () => {
		expect(subtitleOf('Loader', { loader: { maxLoadedSkills: 3 } })).toBe('max 3 skills');
	});
});

describe('Skill Library', () => {
	const [, , , { properties, ...library }, trigger] = descriptions;
	const named = (name: string) => properties.filter((property) => property.name === name);

	it('does every operation that it offers, and offers every one that it does', () => {
		const offered = named('operation').flatMap(({ displayOptions, options = [] }) => {
			const [resource] = displayOptions?.show?.resource as string[];
			return options.map((option) => `${resource}:${(option as INodePropertyOptions).value}`);
		});
		expect(offered.sort()).toEqual(Object.keys(OPERATIONS).sort());
	});

	it('has an input for a Skills Source only while skills are imported from one', () => {
		const inputsWith = (parameters: object) => {
			const node = { name: 'L', type: LIBRARY, typeVersion: 1, position: [0, 0], parameters };
			const workflow = host.open({ nodes: [node] as INode[], connections: {} });
			return NodeHelpers.getNodeInputs(workflow, workflow.getNode('L') as INode, library as never);
		};
		const transfer = { resource: 'transfer', operation: 'import' };
		expect(inputsWith({})).toEqual(['main']);
		expect(inputsWith({ ...transfer, importFrom: 'folder' })).toEqual(['main']);
		expect(inputsWith({ ...transfer, importFrom: 'source' })).toMatchObject([
			'main',
			{ type: 'ai_document', displayName: 'Skills', filter: { nodes: [SOURCE] } },
		]);
	});

	it('lets a model fill in the fields of a skill, which n8n refuses for "name" and "description"', () => {
		expect(named('name')).toEqual([]);
		expect(named('description')).toEqual([]);
		expect(named('skillName')).toHaveLength(1);
	});

	it('lets nobody calculate the switch for administrators', () => {
		for (const { properties: all } of [{ properties }, trigger]) {
			const [toggle] = all.filter(({ name }) => name === 'actAsAdministrator');
			expect(toggle).toMatchObject({ type: 'boolean', default: false, noDataExpression: true });
		}
	});

	it('says where to read the user from', () => {
		const [user] = named('user');
		expect(user.placeholder).toContain("$('Chat').item.json");
		expect(user.description).toContain('A tool refuses $fromAI');
	});

	it('tests its Postgres credential itself', () => {
		const [credential] = library.credentials ?? [];
		expect(credential).toMatchObject({ name: 'agentSkillsPostgresApi', testedBy: 'testPostgres' });
		expect(new SkillLibrary().methods.credentialTest).toHaveProperty('testPostgres');
	});

	it('has a trigger that n8n polls', () => {
		expect(trigger).toMatchObject({ polling: true, group: ['trigger'], inputs: [] });
	});
});

it('Max Loaded Skills is 10 unless told, and at least 1', () => {
	const [, , { properties }] = descriptions;
	expect(properties.find(({ name }) => name === 'maxLoadedSkills')).toMatchObject({
		default: 10,
		typeOptions: { minValue: 1 },
	});
});
