import { randomBytes } from 'node:crypto';

import { MAX_FOLDER_NAME_BYTES } from '../../limits';
import { isSafeName } from '../../path';

/** Where the files of all skills lie; hidden, so that discovery passes it by. */
export const DATA_FOLDER = '.skills-data';
/** The names that a sync gives in the data folder. */
export const OWN_NAME = /^(?:v|old|link|new)-[0-9a-f]{12}$/;

const OWN_LINK = new RegExp(`^${DATA_FOLDER.replace('.', '\\.')}/((?:v|old)-[0-9a-f]{12})$`);

/** Gives back a name in the data folder that nobody has or can guess. */
export function newName(kind: 'v' | 'old' | 'link' | 'new'): string {
	return `${kind}-${randomBytes(6).toString('hex')}`;
}

/** Gives back which folder of the data folder a link of a sync points to; null: it is another link. */
export function dataOfLink(target: string): string | null {
	return OWN_LINK.exec(target)?.[1] ?? null;
}

/** Tells whether a name can be that of a skill's folder. */
export function isFolderName(name: string): boolean {
	if (name === '' || name.startsWith('.') || !isSafeName(name)) return false;
	return Buffer.byteLength(name) <= MAX_FOLDER_NAME_BYTES;
}
