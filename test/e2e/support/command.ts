import { spawn, spawnSync } from 'node:child_process';

import { REPOSITORY } from '../../../examples/demo/pack';
import { isAlive, sleep } from '../../../examples/demo/process';

const POLL_MS = 100;
const TEXT_AT_MOST_MS = 300_000;
const GONE_AT_MOST_MS = 20_000;
// What the tests' own run, and a person's shell, would tell the command.
const FOREIGN = /^(OPENAI_|AGENT_SKILLS_DEMO_DATA|AGENT_SKILLS_E2E|JEST_|npm_|NODE_ENV|PORT$)/;

/** A command of package.json, started as a person starts it in a terminal. */
export interface Command {
	/** All that it has printed. */
	output(): string;
	/** What it printed last once it has printed this, after the first `from` characters. */
	until(pattern: RegExp, from?: number): Promise<RegExpMatchArray>;
	/** Its exit code, once it has ended. */
	ended: Promise<number | null>;
	/** Every process that it has started, directly or not. */
	processes(): number[];
	/** Ctrl-C: a terminal signals all processes in the foreground. */
	interrupt(): void;
	/** Ends it without asking. */
	kill(): void;
}

/** Starts `npm run <script>` with these variables, in this folder. */
export function startCommand(
	script: string,
	env: Record<string, string>,
	cwd = REPOSITORY,
): Command {
	const own = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
	const child = spawn('npm', ['run', script], {
		cwd,
		env: { ...Object.fromEntries(own), ...env },
		detached: true,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let text = '';
	const keep = (chunk: Buffer) => {
		text += chunk.toString();
	};
	child.stdout.on('data', keep);
	child.stderr.on('data', keep);
	let isOver = false;
	const ended = new Promise<number | null>((resolve) => {
		child.once('close', (code) => {
			isOver = true;
			resolve(code);
		});
	});
	const pid = child.pid ?? 0;
	const signal = (name: NodeJS.Signals) => {
		if (!isOver) process.kill(-pid, name);
	};
	return {
		output: () => text,
		async until(pattern, from = 0) {
			const deadline = Date.now() + TEXT_AT_MOST_MS;
			for (;;) {
				const found = text.slice(from).match(pattern);
				if (found !== null) return found;
				if (isOver || Date.now() > deadline) {
					throw new Error(`It ${isOver ? 'ended' : 'ran on'} without ${pattern}:\n${text}`);
				}
				await sleep(POLL_MS);
			}
		},
		ended,
		processes: () => descendants(pid),
		interrupt: () => signal('SIGINT'),
		kill: () => signal('SIGKILL'),
	};
}

/** Those of the processes that are still there after a while in which they should have ended. */
export async function survivors(pids: number[]): Promise<number[]> {
	const deadline = Date.now() + GONE_AT_MOST_MS;
	while (pids.some(isAlive) && Date.now() < deadline) await sleep(POLL_MS);
	return pids.filter(isAlive);
}

function descendants(root: number): number[] {
	const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
	const all = stdout
		.trim()
		.split('\n')
		.map((line) => line.trim().split(/\s+/).map(Number));
	const found = [root];
	for (const parent of found) {
		found.push(...all.filter(([, ppid]) => ppid === parent).map(([pid]) => pid));
	}
	return found;
}
