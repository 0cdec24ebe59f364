import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { runtimeEnvironment } from '../../../examples/demo/install';
import { ensureRuntime } from '../../../examples/demo/runtime';

/** Runs Jest on the Node.js that n8n runs on: older ones have no SQLite for the library. */
async function main(): Promise<number> {
	const runtime = await ensureRuntime();
	const jest = join(__dirname, '../../../node_modules/jest/bin/jest.js');
	const { status } = spawnSync(runtime.node, [jest, ...process.argv.slice(2)], {
		stdio: 'inherit',
		env: runtimeEnvironment(runtime),
	});
	return status ?? 1;
}

void main().then(
	(status) => {
		process.exitCode = status;
	},
	(error) => {
		console.error(error);
		process.exitCode = 1;
	},
);
