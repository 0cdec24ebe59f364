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
	type INodeTypeDescription,
} from 'n8n-workflow';

const ROOT = join(__dirname, '../..');
const { n8n } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
	n8n: { nodes: string[] };
};
const SOURCE = 'n8n-nodes-agent-skills.skillsSource';
const CATALOG = 'n8n-nodes-agent-skills.skillCatalogPrompt';
const LOADER = 'n8n-nodes-agent-skills.skillLoader';

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

	it('is no tool of its own: tool versions get no sub-node inputs', () => {
		expect(description).toHaveProperty('usableAsTool', undefined);
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
		expect(codex.categories).toEqual(['AI']);
	});

	it('explains every parameter that does not explain itself', () => {
		const plain = new Set(['notice', 'options', 'path', 'content']);
		const unexplained = allParameters(description.properties).filter(
			([, { name, description: text, hint }]) => !text && !hint && !plain.has(name),
		);
		expect(unexplained.map(([path]) => path)).toEqual([]);
	});

	it('has no two parameters of one name', () => {
		const paths = allParameters(description.properties).map(([path]) => path);
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
			filter: { nodes: [CATALOG, LOADER, SOURCE] },
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

	it('Skill Loader Tool: the number of skills', () => {
		expect(subtitleOf('Loader', { loader: { maxLoadedSkills: 3 } })).toBe('max 3 skills');
	});
});

it('Max Loaded Skills is 10 unless told, and at least 1', () => {
	const [, , { properties }] = descriptions;
	expect(properties.find(({ name }) => name === 'maxLoadedSkills')).toMatchObject({
		default: 10,
		typeOptions: { minValue: 1 },
	});
});
