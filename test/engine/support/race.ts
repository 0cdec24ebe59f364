import type * as FilesModule from 'node:fs';

/** The real module, whose functions our compiled backend calls. */
const files = jest.requireActual<typeof FilesModule>('node:fs');

/**
 * Does something to a file right before it is opened the next time: what another program may do
 * between the moment the skills are listed and the moment one is read.
 */
export function beforeOpening(path: string, act: () => void): void {
	const { openSync } = files;
	let done = false;
	jest.spyOn(files, 'openSync').mockImplementation((...args) => {
		if (!done && args[0] === path) {
			done = true;
			act();
		}
		return openSync(...args);
	});
}
