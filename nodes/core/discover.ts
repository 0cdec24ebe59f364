import { diagnostic, messageOf, type Diagnostic } from './errors';
import { MAX_DISCOVERY_DEPTH, MAX_FOLDERS_PER_SOURCE } from './limits';
import { mapParallel } from './parallel';
import { baseName, joinPath } from './path';
import { SKILL_FILE } from './skill';
import { count } from './text';
import type { BackendEntry, SkillBackend, TakeHead } from './types';

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
 * repository with `skills/`. Below a skill nothing is looked for. `take` gets the heads of the files
 * that were opened on the way.
 */
export async function discoverSkills(
	backend: SkillBackend,
	source: string,
	take: TakeHead = () => {},
): Promise<Discovery> {
	const root = await backend.list(source);
	if (root === null) return { found: false, files: [], diagnostics: [] };
	const walk = new Walk(backend, take);
	await walk.run([{ dir: source, entries: root }]);
	return { found: true, files: walk.sorted(), diagnostics: walk.result(source, root) };
}

class Walk {
	private readonly files: BackendEntry[] = [];
	private readonly diagnostics: Diagnostic[] = [];
	private folders = 1;
	private hasProblems = false;

	constructor(
		private readonly backend: SkillBackend,
		private readonly take: TakeHead,
	) {}

	async run(level: Level[], depth = 0, hasSkills = false): Promise<void> {
		for (const { entries } of level) this.reportProblems(entries);
		const groups = level.filter((folder) => !this.takeSkill(folder));
		if (depth === MAX_DISCOVERY_DEPTH) return;
		const isFolderOfSkills = hasSkills || groups.length < level.length;
		const walked = depth === 1 && !isFolderOfSkills ? skillsFolderOf(groups) : groups;
		const found = walked.map((group) => this.children(group));
		const dirs = this.within(found.length === 1 ? found[0] : found.flat());
		if (dirs.length === 0) return;
		this.folders += dirs.length;
		const before = this.files.length;
		const rest = await this.open(dirs);
		await this.run(rest, depth + 1, this.files.length > before);
	}

	/** Takes the folders that are plainly skills and gives back the others. */
	private async open(dirs: string[]): Promise<Level[]> {
		const files = await this.backend.peek?.(skillPathsIn(dirs), this.take);
		if (!files) return await this.listAll(dirs);
		const unknown: string[] = [];
		files.forEach((file, index) => {
			if (file) this.files.push(file);
			else unknown.push(dirs[index]);
		});
		return await this.listAll(unknown);
	}

	private async listAll(dirs: string[]): Promise<Level[]> {
		return await mapParallel(dirs, async (dir) => ({ dir, entries: await this.list(dir) }));
	}

	sorted(): BackendEntry[] {
		const { files } = this;
		// Mostly they were met in order, and to see that is quicker than to sort them.
		const isSorted = files.every(({ path }, index) => index === 0 || files[index - 1].path < path);
		return isSorted ? files : files.sort((a, b) => (a.path < b.path ? -1 : 1));
	}

	result(source: string, root: BackendEntry[]): Diagnostic[] {
		if (this.files.length > 0 || this.hasProblems) return this.diagnostics;
		const looked = `Looked at ${count(this.folders, 'folder')}`;
		const why =
			root.length === 0
				? 'The folder is empty.'
				: `${looked}: none has a file named exactly ${SKILL_FILE}.`;
		const message = `No skills in ${this.backend.location}${source}. ${why} Put each skill in a folder of its own: <name>/${SKILL_FILE}.`;
		return [...this.diagnostics, diagnostic('source-empty', message, { path: source })];
	}

	private reportProblems(entries: BackendEntry[]): void {
		if (plainFolders(entries)) return;
		for (const { problem } of entries) {
			if (!problem) continue;
			this.diagnostics.push(problem);
			this.hasProblems = true;
		}
	}

	private takeSkill({ dir, entries }: Level): boolean {
		if (plainFolders(entries)) return false;
		const own = entries.filter((entry) => !entry.isDirectory);
		const file = own.find((entry) => baseName(entry.path) === SKILL_FILE);
		if (file && !file.refused && !file.problem) {
			this.files.push(file);
			return true;
		}
		const near = own.find((entry) => /^skills?\.mdx?$/i.test(baseName(entry.path)));
		if (near && near !== file) {
			const message = `${dir} has a file "${baseName(near.path)}"; only the exact name ${SKILL_FILE} makes a skill. Rename it.`;
			this.diagnostics.push(diagnostic('skill-file-name', message, { path: near.path }));
		}
		return false;
	}

	private children({ entries }: Level): string[] {
		const plain = plainFolders(entries);
		if (plain) return plain;
		for (const entry of entries) {
			if (!entry.refused) continue;
			const message = `${entry.path} is a link that leaves the source; it was not followed. Copy the files instead, or add the target as a source.`;
			this.diagnostics.push(diagnostic('link-outside', message, { path: entry.path }));
		}
		const dirs = entries.filter(
			(entry) =>
				entry.isDirectory && !entry.refused && !entry.problem && isWalked(baseName(entry.path)),
		);
		for (const { path, version, frontmatter } of dirs) {
			if (!frontmatter) continue;
			const file = { path: joinPath(path, SKILL_FILE), isDirectory: false, version, frontmatter };
			this.files.push(file);
		}
		return dirs
			.filter(({ frontmatter }) => !frontmatter)
			.map(({ path }) => path)
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
function skillsFolderOf(groups: Level[]): Level[] {
	const folder = groups.find(({ dir }) => baseName(dir) === 'skills');
	return folder ? [folder] : groups;
}

// A listing that did not change comes as the same array; what was made of it is then still right.
const knownFolders = new WeakMap<BackendEntry[], string[] | null>();
const knownPaths = new WeakMap<string[], string[]>();

/** Gives back the folders of a listing in which there is nothing else; null: look closer. */
function plainFolders(entries: BackendEntry[]): string[] | null {
	const known = knownFolders.get(entries);
	if (known !== undefined) return known;
	const isPlain = ({ isDirectory, refused, problem, frontmatter }: BackendEntry) =>
		isDirectory && !refused && !problem && !frontmatter;
	const folders = entries.every(isPlain)
		? entries
				.map(({ path }) => path)
				.filter((path) => isWalked(baseName(path)))
				.sort()
		: null;
	knownFolders.set(entries, folders);
	return folders;
}

function skillPathsIn(dirs: string[]): string[] {
	const known = knownPaths.get(dirs) ?? dirs.map((dir) => joinPath(dir, SKILL_FILE));
	knownPaths.set(dirs, known);
	return known;
}

/** Tells whether a folder of that name is looked into. */
export function isWalked(name: string): boolean {
	return !name.startsWith('.') && name !== 'node_modules';
}
