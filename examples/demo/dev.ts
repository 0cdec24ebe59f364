import { statSync } from 'node:fs';
import { join } from 'node:path';

import { startDemo } from './demo';
import type { Demo } from './demo';
import { REPOSITORY } from './pack';
import { sleep } from './process';
import { runUntilStopped } from './run';
import { filesIn } from './skills';

const WATCHED = ['nodes', 'credentials'];
const LOOK_EVERY_MS = 700;

async function startDevelopment(): Promise<Demo> {
	// What changes while n8n starts is a change too.
	const before = look();
	const demo = await startDemo();
	console.log(`  Watching ${WATCHED.join(' and ')} for changes.\n`);
	void reloadOnChange(demo, before);
	return demo;
}

// By looking, not by fs.watch: on Linux that loses sight of a file which an editor has replaced.
async function reloadOnChange(demo: Demo, before: string): Promise<never> {
	for (; ; await sleep(LOOK_EVERY_MS)) {
		const now = look();
		if (now === before) continue;
		before = now;
		await demo.reload().then(
			() => console.log('  Reloaded: refresh the browser.'),
			// A mistake in the code being written is no reason to end: the next change may mend it.
			(error: Error) => console.error(`\n${error.message}\n  Waiting for the next change.`),
		);
	}
}

function look(): string {
	const files = WATCHED.flatMap((name) => filesIn(join(REPOSITORY, name)));
	return files
		.map((file) => `${file} ${statSync(file, { throwIfNoEntry: false })?.mtimeMs}`)
		.join('\n');
}

runUntilStopped(startDevelopment);
