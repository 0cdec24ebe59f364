import { createHash } from 'node:crypto';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Copies the example skills to where a person may edit them, and gives back how many files it wrote.
 *
 * A file that was edited or deleted there stays as it is: the list of hashes tells what was copied.
 */
export function copySkills(from: string, to: string, listFile: string): number {
	const copied = readList(listFile);
	let written = 0;
	mkdirSync(to, { recursive: true });
	for (const file of filesIn(from)) {
		const name = relative(from, file);
		const target = join(to, name);
		const known = copied[name];
		const present = existsSync(target) ? hashOf(target) : undefined;
		if (present !== known || hashOf(file) === known) continue;
		mkdirSync(dirname(target), { recursive: true });
		copyFileSync(file, target);
		copied[name] = hashOf(target);
		written += 1;
	}
	writeFileSync(listFile, JSON.stringify(copied, null, '\t'));
	return written;
}

/** Every file below a folder, in a stable order; none when the folder is missing. */
export function filesIn(folder: string): string[] {
	if (!existsSync(folder)) return [];
	const entries = readdirSync(folder, { withFileTypes: true });
	return entries
		.sort((left, right) => (left.name < right.name ? -1 : 1))
		.flatMap((entry) => {
			const path = join(folder, entry.name);
			return entry.isDirectory() ? filesIn(path) : [path];
		});
}

/** A short hash of a file's content. */
export function hashOf(file: string): string {
	return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16);
}

function readList(file: string): Record<string, string> {
	if (!existsSync(file)) return {};
	return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
}
