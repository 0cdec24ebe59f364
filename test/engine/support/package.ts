import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { INodeType } from 'n8n-workflow';

import type { Package } from './host';

const ROOT = join(__dirname, '../../..');

type Clear = Record<'clearLiveState' | 'clearRegistryCache' | 'clearRemoteCache', () => void>;

/** Gives back the package as n8n loads it: the compiled nodes that package.json lists. */
export function compiledPackage(): Package {
	const load = createRequire(__filename);
	const { n8n } = load(join(ROOT, 'package.json')) as { n8n: { nodes: string[] } };
	const nodes = n8n.nodes.map((path) => {
		const classes = load(join(ROOT, path)) as Record<string, new () => INodeType>;
		const [NodeClass] = Object.values(classes);
		return new NodeClass();
	});
	const { clearLiveState } = load(join(ROOT, 'dist/nodes/shared/state.js')) as Clear;
	const { clearRegistryCache } = load(join(ROOT, 'dist/nodes/core/registry.js')) as Clear;
	const { clearRemoteCache } = load(join(ROOT, 'dist/nodes/core/remote.js')) as Clear;
	return {
		nodes,
		forgetEverything() {
			clearLiveState();
			clearRegistryCache();
			clearRemoteCache();
		},
	};
}
