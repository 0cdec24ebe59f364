import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';

import { startDemo } from './demo';
import type { Demo } from './demo';
import { REPOSITORY } from './pack';
import { runUntilStopped } from './run';

const WATCHED = ['nodes', 'credentials', 'package.json', 'gulpfile.js', 'tsconfig.json'];
const QUIET_MS = 400;

async function startDevelopment(): Promise<Demo> {
	const demo = await startDemo();
	let timer: NodeJS.Timeout | undefined;
	let working = false;
	let again = false;
	const reload = async (): Promise<void> => {
		again = working;
		if (working) return;
		working = true;
		await demo.reload().then(
			() => console.log('  Reloaded: refresh the browser.'),
			// A mistake in the code being written is no reason to end: the next change may mend it.
			(error: Error) => console.error(`\n${error.message}\n  Waiting for the next change.`),
		);
		working = false;
		if (again) await reload();
	};
	const onChange = (): void => {
		clearTimeout(timer);
		timer = setTimeout(() => void reload(), QUIET_MS);
	};
	for (const path of WATCHED.map((name) => join(REPOSITORY, name)).filter((p) => existsSync(p))) {
		watch(path, { recursive: true }, onChange);
	}
	console.log(`  Watching ${WATCHED.join(', ')}`);
	return demo;
}

runUntilStopped(startDevelopment);
