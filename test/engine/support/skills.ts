import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { ALLOWED_FOLDER } from './environment';

/** A folder of skills on the disk that a test writes as it goes. */
export interface SkillFolder {
	path: string;
	/** Path of a file of a skill. */
	file(skill: string, name?: string): string;
	/** Writes a skill; the body is its instructions, the files lie beside SKILL.md. */
	write(skill: string, body?: string, files?: Record<string, string | Buffer>): void;
	remove(skill: string): void;
}

/** Gives back a new folder of skills; the description of each is "Does <name>." */
export function skillFolder(parent = ALLOWED_FOLDER): SkillFolder {
	const path = mkdtempSync(join(parent, 'skills-'));
	const file = (skill: string, name = 'SKILL.md') => join(path, skill, name);
	const put = (target: string, content: string | Buffer) => {
		mkdirSync(dirname(target), { recursive: true });
		writeFileSync(target, content);
	};
	return {
		path,
		file,
		write(skill, body = `Rule of ${skill}.`, files = {}) {
			put(file(skill), skillText(skill, body));
			for (const [name, content] of Object.entries(files)) put(file(skill, name), content);
		},
		remove: (skill) => rmSync(join(path, skill), { recursive: true }),
	};
}

/** Gives back the text of a SKILL.md. */
export function skillText(name: string, body: string): string {
	return `---\nname: ${name}\ndescription: Does ${name}.\n---\n${body}\n`;
}
