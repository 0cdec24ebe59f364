import { homedir } from 'node:os';

import { createFilesystemBackend } from '../../core/backends';
import { labelOf } from '../../core/path';
import type { SourceSpec } from '../../core/types';
import { environmentFolders, expandPath, fileAccess } from '../access';
import { limitSources } from './folders';
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
	const { sources, diagnostics } = limitSources([...fromEnvironment, ...own]);
	const paths = sources.map(({ path }) => path);
	const backend = createFilesystemBackend({ root, sources: paths, access: fileAccess(context) });
	return { backend, sources, diagnostics };
};
