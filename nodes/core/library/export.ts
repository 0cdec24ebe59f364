import { setImmediate } from 'node:timers/promises';

import { MAX_ARCHIVE_BYTES, MAX_ARCHIVE_ENTRIES, MAX_UNPACKED_BYTES } from '../limits';
import { SKILL_FILE } from '../skill';
import { count } from '../text';
import { skillFileOf } from './document';
import { packZip } from './pack';
import { LibraryError, type Library, type SkillRef, type WholeSkill } from './types';

/** The files of a folder that holds a skill. */
export function filesOfSkill(skill: WholeSkill): Array<{ path: string; content: Uint8Array }> {
	const text = { path: SKILL_FILE, content: Buffer.from(skillFileOf(skill)) };
	return [text, ...skill.files.map(({ path, content }) => ({ path, content }))];
}

/** Gives back whole skills to export; it reads no further once they are more than an archive holds. */
export async function readSkills(library: Library, refs: SkillRef[]): Promise<WholeSkill[]> {
	const skills: WholeSkill[] = [];
	const limits = createLimits();
	for (const ref of refs) {
		const skill = await library.get(ref);
		limits.add(filesOfSkill(skill));
		skills.push(skill);
		// A library in a file answers at once, so nothing else of n8n would have its turn until the end.
		await setImmediate();
	}
	return skills;
}

/**
 * Gives back a `.skill` or `.zip` file with each skill in a folder of its name; the same skills
 * always give the same bytes.
 */
export async function exportSkills(skills: WholeSkill[]): Promise<Uint8Array> {
	const names = new Set(skills.map(({ name }) => name));
	if (names.size < skills.length) {
		const hint = 'Export the skills of one owner at a time.';
		throw new LibraryError('invalid', 'Two of the skills have the same name.', hint);
	}
	const files = skills
		.flatMap((skill) =>
			filesOfSkill(skill).map(({ path, content }) => ({ path: `${skill.name}/${path}`, content })),
		)
		.sort((a, b) => (a.path < b.path ? -1 : 1));
	createLimits().add(files);
	const archive = await packZip(files);
	if (archive.byteLength > MAX_ARCHIVE_BYTES) throw tooLarge();
	return archive;
}

/** Gives back what adds up files, and throws when they are more than an archive holds. */
function createLimits() {
	let [entries, bytes] = [0, 0];
	return {
		add: (files: Array<{ content: Uint8Array }>) => {
			entries += files.length;
			for (const { content } of files) bytes += content.byteLength;
			if (entries > MAX_ARCHIVE_ENTRIES || bytes > MAX_UNPACKED_BYTES) throw tooLarge();
		},
	};
}

function tooLarge(): LibraryError {
	const limits = [
		count(MAX_ARCHIVE_ENTRIES, 'file'),
		count(MAX_UNPACKED_BYTES, 'byte'),
		`${count(MAX_ARCHIVE_BYTES, 'byte')} when packed`,
	];
	const message = `An archive holds at most ${limits.join(', ')}: more could not be read again.`;
	return new LibraryError('too-large', message, 'Export fewer skills at a time.');
}
