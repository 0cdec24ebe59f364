import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';

import type { FileAccess } from '../core/backends';
import type { NodeContext } from './context';

/** Variable with folders that stand before the sources of every filesystem Skills Source. */
export const SKILLS_DIRS_VARIABLE = 'N8N_SKILLS_DIRS';

/** Gives back n8n's own file-access rules as the filesystem backend wants them. */
export function fileAccess(context: NodeContext): FileAccess {
	const { isFilePathBlocked } = context.helpers;
	return {
		isBlocked: (realPath) => isFilePathBlocked(realPath as never),
		explain: (path) =>
			`Move the skills below ~/.n8n-files, or let an administrator add the folder to the environment variable N8N_RESTRICT_FILE_ACCESS_TO (folders parted by ";"): ${path}`,
	};
}

/** Gives back an absolute POSIX path: `~` is the home folder, other paths start from `base`. */
export function expandPath(path: string, base: string): string {
	const trimmed = path.trim();
	const expanded = /^~(?=$|[\\/])/.test(trimmed) ? homedir() + trimmed.slice(1) : trimmed;
	return resolve(base, expanded).split(sep).join('/');
}

/** Gives back the folders of N8N_SKILLS_DIRS, parted by ";" or, where paths allow it, ":". */
export function environmentFolders(): string[] {
	const separator = sep === '\\' ? /;/ : /[;:]/;
	return (process.env[SKILLS_DIRS_VARIABLE] ?? '')
		.split(separator)
		.map((part) => part.trim())
		.filter((part) => part !== '');
}
