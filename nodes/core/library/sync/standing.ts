import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

import { MAX_FOLDER_NAME_BYTES } from '../../limits';
import { dataOfLink, OWN_NAME } from './names';

/** What stands under the name of a skill, and what a sync called the folder of its files. */
export type Standing =
	| { is: 'free' | 'foreign'; data?: undefined }
	| { is: 'link' | 'folder'; data: string };

/** Says in a folder which sync's writing of which skill it is; a copy of it says the same. */
export const MARKER = '.skill-library';

const MAX_MARKER_BYTES = 2 * MAX_FOLDER_NAME_BYTES;
const FREE: Standing = { is: 'free' };
const FOREIGN: Standing = { is: 'foreign' };
const NO_THROW = { throwIfNoEntry: false } as const;

/** Gives back the text of a folder's marker. */
export function markerOf(name: string, data: string): string {
	return `${data} ${name}`;
}

/** Gives back what stands under a name, by its looks: whether it is ours the manifest says. */
export function standingIn(base: string, name: string): Standing {
	const path = join(base, name);
	const stats = lstatSync(path, NO_THROW);
	if (stats === undefined) return FREE;
	if (stats.isSymbolicLink()) {
		const data = dataOfLink(readlinkSync(path));
		return data === null ? FOREIGN : { is: 'link', data };
	}
	const data = stats.isDirectory() ? readMarker(join(path, MARKER), name) : null;
	return data === null ? FOREIGN : { is: 'folder', data };
}

function readMarker(path: string, name: string): string | null {
	const stats = lstatSync(path, NO_THROW);
	if (!stats?.isFile() || stats.size > MAX_MARKER_BYTES) return null;
	const text = readFileSync(path, 'utf8');
	const [data] = text.split(' ');
	return OWN_NAME.test(data) && text === markerOf(name, data) ? data : null;
}
