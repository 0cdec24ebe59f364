import { homedir } from 'node:os';

import { createDataBackend, createFilesystemBackend } from '../core/backends';
import { diagnostic, type Diagnostic } from '../core/errors';
import { MAX_SOURCES } from '../core/limits';
import { labelOf } from '../core/path';
import { nameFilter, patternList } from '../core/pattern';
import { filesFromData } from '../core/records';
import type { SkillSetOptions } from '../core/skillset';
import type { SkillBackend, SkillSet, SourceSpec } from '../core/types';
import { environmentFolders, expandPath, fileAccess } from './access';
import type { NodeContext } from './context';

/** Parameters of Skills Source that every backend has. */
export interface SourceOptions {
	include?: string;
	exclude?: string;
	onSourceError?: 'warn' | 'fail';
	label?: string;
	root?: string;
	environmentFolders?: boolean;
}

interface Opened {
	backend: SkillBackend;
	sources: SourceSpec[];
	diagnostics?: Diagnostic[];
}

type Open = (context: NodeContext, itemIndex: number, options: SourceOptions) => Opened;

/** The backends by the value of the parameter "Skills From". */
const BACKENDS: Record<string, Open> = { filesystem: openFilesystem, data: openData };

/** Gives back what a Skills Source node is set to, ready to make a skill set of. */
export function readSource(
	context: NodeContext,
	itemIndex: number,
	base: SkillSet | undefined,
): SkillSetOptions {
	const options = context.getNodeParameter('options', itemIndex, {}) as SourceOptions;
	const backend = context.getNodeParameter('backend', itemIndex, 'filesystem') as string;
	const isVisible = nameFilter(
		patternList(options.include ?? ''),
		patternList(options.exclude ?? ''),
	);
	return { ...BACKENDS[backend](context, itemIndex, options), isVisible, base };
}

function openFilesystem(context: NodeContext, itemIndex: number, options: SourceOptions): Opened {
	const rows = context.getNodeParameter('sources.source', itemIndex, []) as Array<
		Partial<SourceSpec>
	>;
	const root = (options.root ?? '').trim() === '' ? '' : expandPath(options.root ?? '', homedir());
	const own = rows
		.filter(({ path }) => (path ?? '').trim() !== '')
		.map(({ path = '', label }) => {
			// With a root, "/user" means <root>/user; without, it is a folder of the disk.
			const inRoot =
				root === ''
					? expandPath(path, homedir())
					: expandPath(`/${path.replace(/^[~/]+/, '')}`, '/');
			return { path: inRoot, label: labelOf(inRoot, label) };
		});
	const fromEnvironment =
		options.environmentFolders === false || root !== ''
			? []
			: environmentFolders().map((folder) => {
					const path = expandPath(folder, homedir());
					return { path, label: labelOf(path) };
				});
	const all = [...fromEnvironment, ...own];
	const sources = all.slice(0, MAX_SOURCES);
	const paths = sources.map(({ path }) => path);
	const backend = createFilesystemBackend({ root, sources: paths, access: fileAccess(context) });
	return { backend, sources, diagnostics: tooManySources(all.length) };
}

function tooManySources(amount: number): Diagnostic[] {
	if (amount <= MAX_SOURCES) return [];
	const message = `There are ${amount} folders; only the first ${MAX_SOURCES} are looked at.`;
	return [diagnostic('source-too-large', message)];
}

function openData(context: NodeContext, itemIndex: number, options: SourceOptions): Opened {
	const typed = context.getNodeParameter('dataFrom', itemIndex, 'form') === 'form';
	const { files, diagnostics } = filesFromData(
		typed ? typedSkills(context, itemIndex) : context.getNodeParameter('items', itemIndex, []),
	);
	const label = labelOf('/workflow', options.label);
	return { backend: createDataBackend(files), sources: [{ path: '/', label }], diagnostics };
}

interface TypedSkill {
	name?: string;
	description?: string;
	instructions?: string;
	files?: { file?: Array<{ path?: string; content?: string }> };
}

function typedSkills(context: NodeContext, itemIndex: number): unknown[] {
	const skills = context.getNodeParameter('skills.skill', itemIndex, []) as TypedSkill[];
	return skills.map(({ files, ...skill }) => ({ ...skill, files: files?.file ?? [] }));
}
