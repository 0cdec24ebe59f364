import { MAX_PATH_LENGTH } from './limits';

/** The one path guard: gives back the path below a folder without tricks, or null. */
export function safeRelativePath(path: string): string | null {
	if (typeof path !== 'string' || path.length === 0 || path.length > MAX_PATH_LENGTH) return null;
	// A backslash or a drive letter would mean something else on Windows; NUL ends a path in C.
	if (/[\\\0-\x1f\x7f]/.test(path) || path.startsWith('/')) return null;
	const parts = path.split('/').filter((part) => part !== '' && part !== '.');
	if (parts.length === 0 || parts.includes('..') || /^[a-z]:/i.test(parts[0])) return null;
	return parts.join('/');
}

// Nothing in it can be a detour, a drive or a control character.
const PLAIN_PATH = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+$/;

/** Gives back an absolute POSIX path in a backend without tricks, or null. "/" is allowed. */
export function safeAbsolutePath(path: string): string | null {
	if (typeof path !== 'string' || !path.startsWith('/') || path.length > MAX_PATH_LENGTH)
		return null;
	if (PLAIN_PATH.test(path)) return path;
	if (path.split('/').every((part) => part === '' || part === '.')) return '/';
	const relative = safeRelativePath(path.replace(/^\/+/, ''));
	return relative === null ? null : `/${relative}`;
}

/** Tells whether a path is absolute and written without tricks or detours. */
export function isSafePath(path: string): boolean {
	return typeof path === 'string' && safeAbsolutePath(path) === path;
}

/** Tells whether an entry's own name can stand in a safe path. */
export function isSafeName(name: string): boolean {
	return name.length < MAX_PATH_LENGTH && !/[\\/\0-\x1f\x7f]|^[a-z]:|^\.{1,2}$/i.test(name);
}

/** Gives back the two parts as one absolute path. */
export function joinPath(dir: string, relative: string): string {
	return dir === '/' ? `/${relative}` : `${dir}/${relative}`;
}

/** Gives back the folder of an absolute path. */
export function parentOf(path: string): string {
	return path.slice(0, Math.max(path.lastIndexOf('/'), 1));
}

/** Gives back the last part of a path. */
export function baseName(path: string): string {
	return path.slice(path.lastIndexOf('/') + 1);
}

/** Tells whether an absolute path is the folder itself or lies below it. */
export function isInside(path: string, dir: string): boolean {
	return (
		path.startsWith(dir) && (path.length === dir.length || dir === '/' || path[dir.length] === '/')
	);
}

/** Gives back the label of a source: its own, or the folder's name; `skills` takes its parent's. */
export function labelOf(path: string, label = ''): string {
	if (label.trim() !== '') return label.trim();
	const parts = path.split('/').filter((part) => part !== '');
	if (parts.length > 1 && parts[parts.length - 1] === 'skills') parts.pop();
	const leaf = (parts.pop() ?? 'skills').replace(/^\.+/, '') || 'skills';
	return leaf.charAt(0).toUpperCase() + leaf.slice(1);
}
