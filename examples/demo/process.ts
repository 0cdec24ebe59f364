import { spawn, spawnSync } from 'node:child_process';

const TAIL_CHARACTERS = 20_000;

/** What a finished command left behind: its exit code and the end of what it printed. */
export interface CommandResult {
	code: number;
	output: string;
}

/** A problem that is explained to the person in plain words, without a stack trace. */
export class DemoError extends Error {
	override name = 'DemoError';
}

/** Runs a command to its end and gives back its exit code and the tail of its output. */
export async function run(
	command: string,
	args: string[],
	options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<CommandResult> {
	// npm is a .cmd file on Windows, and those start through a shell only.
	const shell = process.platform === 'win32' && command === 'npm';
	const child = spawn(command, args, {
		env: process.env,
		...options,
		shell,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const stop = () => child.kill('SIGTERM');
	process.once('exit', stop);
	try {
		return await new Promise<CommandResult>((resolve, reject) => {
			let output = '';
			const keep = (chunk: Buffer) => {
				output = (output + chunk.toString()).slice(-TAIL_CHARACTERS);
			};
			child.stdout.on('data', keep);
			child.stderr.on('data', keep);
			child.once('error', reject);
			child.once('close', (code) => resolve({ code: code ?? 1, output }));
		});
	} finally {
		process.removeListener('exit', stop);
	}
}

/** Whether a program of this name can be started here. */
export function hasProgram(name: string): boolean {
	return spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** Whether a process with this id is alive. */
export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/** Resolves after this many milliseconds. */
export async function sleep(milliseconds: number): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
