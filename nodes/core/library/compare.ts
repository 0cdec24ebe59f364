import { diffLines, type DiffLine } from '../diff';
import { DIFF_CONTEXT_LINES } from '../limits';
import type { LibraryFileInfo, WholeSkill } from './types';

/** What differs between two states of a skill. */
export interface SkillComparison {
	name: string;
	from: number;
	to: number;
	isSame: boolean;
	/** The fields that differ, the extra ones by their own names. */
	fields: Array<{ field: string; before: unknown; after: unknown }>;
	/** The text in the manner of `diff -u`; empty: it is the same. */
	text: string;
	linesAdded: number;
	linesRemoved: number;
	files: Array<{
		path: string;
		change: 'added' | 'removed' | 'changed';
		before?: number;
		after?: number;
	}>;
}

/** Gives back what differs between two states of a skill, the earlier one first. */
export function compareSkills(before: WholeSkill, after: WholeSkill): SkillComparison {
	const fields = compareFields(fieldsOf(before), fieldsOf(after));
	const lines = before.content === after.content ? [] : diffLines(before.content, after.content);
	const files = compareFiles(before.files, after.files);
	return {
		name: after.name,
		from: before.version,
		to: after.version,
		isSame: fields.length + lines.length + files.length === 0,
		fields,
		text: unified(lines),
		linesAdded: lines.filter(({ kind }) => kind === '+').length,
		linesRemoved: lines.filter(({ kind }) => kind === '-').length,
		files,
	};
}

function fieldsOf(skill: WholeSkill): Map<string, unknown> {
	const { name, description, tags, isPublic, ownerId, extras } = skill;
	return new Map(Object.entries({ ...extras, name, description, tags, isPublic, ownerId }));
}

function compareFields(
	before: Map<string, unknown>,
	after: Map<string, unknown>,
): SkillComparison['fields'] {
	return [...new Set([...before.keys(), ...after.keys()])]
		.sort()
		.filter((field) => canonical(before.get(field)) !== canonical(after.get(field)))
		.map((field) => ({
			field,
			before: before.get(field) ?? null,
			after: after.get(field) ?? null,
		}));
}

/** Gives back a value as text that does not depend on the order of keys. */
function canonical(value: unknown): string | undefined {
	return JSON.stringify(value, (_, part: unknown) => {
		if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
		return Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1));
	});
}

function compareFiles(
	before: LibraryFileInfo[],
	after: LibraryFileInfo[],
): SkillComparison['files'] {
	const [old, now] = [before, after].map((files) => new Map(files.map((one) => [one.path, one])));
	const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
	return paths.flatMap((path): SkillComparison['files'] => {
		const [was, is] = [old.get(path), now.get(path)];
		if (was && is) {
			const isSame = was.hash === is.hash;
			return isSame ? [] : [{ path, change: 'changed', before: was.size, after: is.size }];
		}
		if (was) return [{ path, change: 'removed', before: was.size }];
		return [{ path, change: 'added', after: is?.size ?? 0 }];
	});
}

/** Gives back the changed lines with a few around them, and where they stand. */
function unified(lines: DiffLine[]): string {
	const parts: string[] = [];
	let [old, now] = [1, 1];
	for (let at = 0; at < lines.length; ) {
		const hunk = hunkAt(lines, at);
		const skipped = hunk.start - at;
		const counted = (kind: DiffLine['kind']) =>
			hunk.lines.filter((line) => line.kind === ' ' || line.kind === kind).length;
		[old, now] = [old + skipped, now + skipped];
		if (hunk.lines.length > 0) {
			parts.push(`@@ -${old},${counted('-')} +${now},${counted('+')} @@\n`);
			parts.push(...hunk.lines.map(lineText));
		}
		[old, now] = [old + counted('-'), now + counted('+')];
		at = hunk.start + hunk.lines.length || lines.length;
		if (hunk.lines.length === 0) break;
	}
	return parts.join('');
}

/** Gives back the next changed lines, with those around them that belong to them. */
function hunkAt(lines: DiffLine[], from: number): { start: number; lines: DiffLine[] } {
	const isChanged = ({ kind }: DiffLine) => kind !== ' ';
	const first = lines.findIndex((line, index) => index >= from && isChanged(line));
	if (first < 0) return { start: lines.length, lines: [] };
	let last = first;
	for (let index = first; index <= last + 2 * DIFF_CONTEXT_LINES && index < lines.length; index++) {
		if (isChanged(lines[index])) last = index;
	}
	const start = Math.max(from, first - DIFF_CONTEXT_LINES);
	return { start, lines: lines.slice(start, last + DIFF_CONTEXT_LINES + 1) };
}

function lineText({ kind, text }: DiffLine): string {
	return text.endsWith('\n') ? kind + text : `${kind}${text}\n\\ No newline at end of file\n`;
}
