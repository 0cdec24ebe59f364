import { NodeHelpers, type INode, type INodeTypeDescription } from 'n8n-workflow';

import type { Workflow } from '../../examples/demo/client';
import { openBench, type Bench } from './support/bench';
import { EXAMPLES, readExample } from './support/examples';

let bench: Bench;
let types: INodeTypeDescription[];

beforeAll(async () => {
	bench = await openBench();
	types = (await bench.client.nodeTypes()) as unknown as INodeTypeDescription[];
});

afterAll(async () => {
	await bench.close();
});

function typeOf({ type, typeVersion }: INode): INodeTypeDescription | undefined {
	return types.find(({ name, version }) => name === type && [version].flat().includes(typeVersion));
}

/** What the editor would mark as wrong in a node, its missing credential aside. */
function issuesOf(node: INode): string[] {
	const type = typeOf(node);
	if (type === undefined) return [`${node.name}: no ${node.type} ${node.typeVersion}`];
	const issues = NodeHelpers.getNodeParametersIssues(type.properties, node, type);
	const known = new Set(type.properties.map(({ name }) => name));
	const unknown = Object.keys(node.parameters).filter((name) => !known.has(name));
	return [
		...Object.values(issues?.parameters ?? {}).flat(),
		...unknown.map((name) => `no parameter "${name}"`),
	].map((issue) => `${node.name}: ${issue}`);
}

describe.each(EXAMPLES)('examples/%s', (name) => {
	it('can be imported as it is', async () => {
		const example = readExample(name);
		const { id } = await bench.client.createWorkflow(readExample(name));
		const imported: Workflow = await bench.client.workflow(id);
		expect(imported.nodes).toHaveLength(example.nodes.length);
		expect(imported.connections).toEqual(example.connections);
	});

	it('uses nodes that n8n has, set as they can be set', () => {
		const { nodes } = readExample(name);
		expect(nodes.flatMap((node) => issuesOf(node as unknown as INode))).toEqual([]);
	});

	it('connects nodes that are there, and explains itself', () => {
		const { nodes, connections } = readExample(name);
		const names = nodes.map((node) => node.name);
		const ends = Object.values(connections as Record<string, Record<string, object[][]>>)
			.flatMap((outputs) => Object.values(outputs).flat(2))
			.map((end) => (end as { node: string }).node);
		expect([...Object.keys(connections), ...ends].filter((one) => !names.includes(one))).toEqual(
			[],
		);
		expect(nodes.some(({ type }) => type.endsWith('.stickyNote'))).toBe(true);
	});

	it('holds no secrets and no ids of credentials', () => {
		expect(JSON.stringify(readExample(name))).not.toMatch(/"credentials"|apiKey|token":/u);
	});
});
