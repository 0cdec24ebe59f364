import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { readWorld } from './world';

/** A folder of skills that n8n may read, changed by a test as a person would on disk. */
export interface SkillFolder {
	path: string;
	/** Writes a skill: its description, its instructions and any further files. */
	write(name: string, description: string, body: string, files?: Record<string, string>): void;
	remove(name: string): void;
}

/** A new, empty folder of skills below the folder that the shared n8n, or another one, may read. */
export function createSkillFolder(home = readWorld().home): SkillFolder {
	const path = join(home, '.n8n-files', randomUUID());
	mkdirSync(path, { recursive: true });
	return {
		path,
		write(name, description, body, files = {}) {
			const skillFile = `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;
			for (const [file, text] of Object.entries({ ...files, 'SKILL.md': skillFile })) {
				const target = join(path, name, file);
				mkdirSync(dirname(target), { recursive: true });
				writeFileSync(target, text);
			}
		},
		remove(name) {
			rmSync(join(path, name), { recursive: true });
		},
	};
}
