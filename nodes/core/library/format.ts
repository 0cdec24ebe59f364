import { SKILL_FILE } from '../skill';
import { count, escapeMarkdown, fenced, oneLine } from '../text';
import { skillFileOf } from './document';
import type { LibraryFile, LibraryFileInfo, LibrarySkill, WholeSkill } from './types';

/** Gives back a skill as Markdown: what it is, its SKILL.md, and if wanted its files. */
export function formatSkill(skill: WholeSkill, options: { files: boolean }): string {
	const parts = [
		`# ${escapeMarkdown(skill.name)}`,
		escapeMarkdown(skill.description),
		facts(skill),
		`## ${SKILL_FILE}\n\n${fenced(skillFileOf(skill), 'markdown')}`,
	];
	if (options.files) parts.push(...byPath(skill.files).map(fileText));
	else if (skill.files.length > 0) parts.push(`## Files\n\n${fenced(formatTree(skill))}`);
	return `${parts.join('\n\n')}\n`;
}

function facts(skill: LibrarySkill): string {
	const { tags, version, updatedAt } = skill;
	const lines = [
		`- Visibility: ${visibility(skill)}`,
		...(tags.length > 0 ? [`- Tags: ${tags.map(escapeMarkdown).join(', ')}`] : []),
		`- Version: ${version}, of ${updatedAt}`,
	];
	return lines.join('\n');
}

function visibility({ ownerId, isPublic }: LibrarySkill): string {
	if (ownerId === null) return 'system';
	return `${isPublic ? 'public' : 'private'}, of ${escapeMarkdown(ownerId)}`;
}

function fileText({ path, content, isBinary, size }: LibraryFile): string {
	const title = `## ${escapeMarkdown(path)}`;
	if (isBinary) return `${title}\n\n(binary, ${count(size, 'byte')})`;
	return `${title}\n\n${fenced(Buffer.from(content).toString('utf8'))}`;
}

/** Gives back skills as a Markdown list, in the order in which they come. */
export function formatList(skills: LibrarySkill[]): string {
	if (skills.length === 0) return 'There are no skills.\n';
	const lines = skills.map((skill) => {
		const tags = skill.tags.map((tag) => ` #${escapeMarkdown(tag)}`).join('');
		return `- **${escapeMarkdown(skill.name)}** (${visibility(skill)}): ${escapeMarkdown(skill.description)}${tags}\n`;
	});
	return lines.join('');
}

interface Branch {
	folders: Map<string, Branch>;
	files: Array<{ name: string; size?: number }>;
}

/** Gives back the folder of a skill as a tree, plain text. */
export function formatTree(skill: { name: string; files: LibraryFileInfo[] }): string {
	const root: Branch = { folders: new Map(), files: [{ name: SKILL_FILE }] };
	for (const { path, size } of byPath(skill.files)) {
		const parts = path.split('/');
		const name = parts.pop() as string;
		let branch = root;
		for (const part of parts) {
			const next = branch.folders.get(part) ?? { folders: new Map(), files: [] };
			branch.folders.set(part, next);
			branch = next;
		}
		branch.files.push({ name, size });
	}
	return `${oneLine(skill.name)}/\n${drawn(root, '')}`;
}

function drawn({ folders, files }: Branch, indent: string): string {
	const lines = [
		...files.map(({ name, size }) => {
			const bytes = size === undefined ? '' : ` (${count(size, 'byte')})`;
			return { label: oneLine(name) + bytes, below: undefined };
		}),
		...[...folders].map(([name, below]) => ({ label: `${oneLine(name)}/`, below })),
	];
	return lines
		.map(({ label, below }, index) => {
			const isLast = index === lines.length - 1;
			const rest = below ? drawn(below, `${indent}${isLast ? '    ' : '│   '}`) : '';
			return `${indent}${isLast ? '└── ' : '├── '}${label}\n${rest}`;
		})
		.join('');
}

function byPath<T extends { path: string }>(files: T[]): T[] {
	return [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
}
