import { homedir } from 'node:os';

import { createFilesystemBackend } from '../../core/backends';
import { diagnostic, type Diagnostic } from '../../core/errors';
import { MAX_SOURCES } from '../../core/limits';
import { labelOf } from '../../core/path';
import type { SourceSpec } from '../../core/types';
import { environmentFolders, expandPath, fileAccess } from '../access';
import type { OpenSource } from './types';

/** Opens folders on disk: those of N8N_SKILLS_DIRS first, then those of the node. */
export const openFilesystem: OpenSource = async (context, itemIndex, options) => {
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
};

function tooManySources(amount: number): Diagnostic[] {
	if (amount <= MAX_SOURCES) return [];
	const message = `There are ${amount} folders; only the first ${MAX_SOURCES} are looked at.`;
	return [diagnostic('source-too-large', message)];
}
