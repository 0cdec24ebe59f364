import { constants, openSync, readSync } from 'node:fs';

/** Without NONBLOCK a named pipe would hang; a link is not followed before it was looked at. */
export const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Gives back an open file, null when it is a link, absent or not to be opened like this. */
export function openOrNull(path: string): number | null {
	try {
		return openSync(path, FLAGS);
	} catch {
		return null;
	}
}

/** Fills a buffer from an open file; gives back less where the file is shorter, or shrinks. */
export function readBytes(file: number, buffer: Buffer): Uint8Array {
	let filled = 0;
	while (filled < buffer.length) {
		const amount = readSync(file, buffer, filled, buffer.length - filled, filled);
		if (amount === 0) break;
		filled += amount;
	}
	return filled === buffer.length ? buffer : buffer.subarray(0, filled);
}
