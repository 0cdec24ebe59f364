import { diagnostic, messageOf, type Diagnostic } from './errors';
import { MAX_DISCOVERY_DEPTH, MAX_FOLDERS_PER_SOURCE } from './limits';
import { mapParallel } from './parallel';
import { baseName } from './path';
import { SKILL_FILE } from './skill';
import { count } from './text';
import type { BackendEntry, SkillBackend } from './types';

/** What lies in a source: the SKILL.md files, in the order of their paths. */
export interface Discovery {
	found: boolean;
	files: BackendEntry[];
	diagnostics: Diagnostic[];
}

interface Level {
	dir: string;
	entries: BackendEntry[];
}

/**
 * Gives back the skills of a source, which may be a skill, a folder of skills (with groups), or a
 * repository with `skills/`. Below a skill nothing is looked for.
 */
export async function discoverSkills(backend: SkillBackend, source: string): Promise<Discovery> {
	const root = await backend.list(source);
	if (root === null) return { found: false, files: [], diagnostics: [] };
	const walk = new Walk(backend);
	await walk.run([{ dir: source, entries: root }]);
	return { found: true, files: walk.sorted(), diagnostics: walk.result(source, root) };
}

class Walk {
	private readonly files: BackendEntry[] = [];
	private readonly diagnostics: Diagnostic[] = [];
	private folders = 1;

	constructor(private readonly backend: SkillBackend) {}

	async run(level: Level[], depth = 0): Promise<void> {
		const groups = level.filter((folder) => !this.takeSkill(folder));
		if (depth === MAX_DISCOVERY_DEPTH) return;
		const dirs = this.within(groupsToWalk(level, groups, depth).flatMap((g) => this.children(g)));
		if (dirs.length === 0) return;
		this.folders += dirs.length;
		const next = await mapParallel(dirs, async (dir) => ({ dir, entries: await this.list(dir) }));
		await this.run(next, depth + 1);
	}

	sorted(): BackendEntry[] {
		return this.files.sort((a, b) => (a.path < b.path ? -1 : 1));
	}

	result(source: string, root: BackendEntry[]): Diagnostic[] {
		if (this.files.length > 0) return this.diagnostics;
		const looked = `Looked at ${count(this.folders, 'folder')}`;
		const why =
			root.length === 0
				? 'The folder is empty.'
				: `${looked}: none has a file named exactly ${SKILL_FILE}.`;
		const message = `No skills in ${this.backend.location}${source}. ${why} Put each skill in a folder of its own: <name>/${SKILL_FILE}.`;
		return [...this.diagnostics, diagnostic('source-empty', message, { path: source })];
	}

	private takeSkill({ dir, entries }: Level): boolean {
		const file = entries.find((entry) => baseName(entry.path) === SKILL_FILE);
		if (file && !file.isDirectory && !file.refused) {
			this.files.push(file);
			return true;
		}
		const near = entries.find((entry) => /^skills?\.mdx?$/i.test(baseName(entry.path)));
		if (near && !near.isDirectory && near !== file) {
			const message = `${dir} has a file "${baseName(near.path)}"; only the exact name ${SKILL_FILE} makes a skill. Rename it.`;
			this.diagnostics.push(diagnostic('skill-file-name', message, { path: near.path }));
		}
		return false;
	}

	private children({ entries }: Level): string[] {
		for (const entry of entries) {
			if (!entry.refused) continue;
			const message = `${entry.path} is a link that leaves the source; it was not followed. Copy the files instead, or add the target as a source.`;
			this.diagnostics.push(diagnostic('link-outside', message, { path: entry.path }));
		}
		return entries
			.filter((entry) => entry.isDirectory && !entry.refused && isWalked(baseName(entry.path)))
			.map((entry) => entry.path)
			.sort();
	}

	private within(dirs: string[]): string[] {
		const room = MAX_FOLDERS_PER_SOURCE - this.folders;
		if (dirs.length <= room) return dirs;
		const message = `The source has more than ${MAX_FOLDERS_PER_SOURCE} folders; the rest was not looked at. Point the source at the folder that holds the skills.`;
		this.diagnostics.push(diagnostic('source-too-large', message));
		return dirs.slice(0, Math.max(room, 0));
	}

	private async list(dir: string): Promise<BackendEntry[]> {
		try {
			return (await this.backend.list(dir)) ?? [];
		} catch (error) {
			const message = `${dir} cannot be listed: ${messageOf(error)}`;
			this.diagnostics.push(diagnostic('skill-unreadable', message, { path: dir }));
			return [];
		}
	}
}

/** A repository keeps its skills in `skills/`: then its other folders are not for us. */
function groupsToWalk(level: Level[], groups: Level[], depth: number): Level[] {
	const isFolderOfSkills = groups.length < level.length;
	const skillsFolder = groups.find(({ dir }) => baseName(dir) === 'skills');
	return depth === 1 && !isFolderOfSkills && skillsFolder ? [skillsFolder] : groups;
}

function isWalked(name: string): boolean {
	return !name.startsWith('.') && name !== 'node_modules';
}
