import { lstatSync } from 'node:fs';

import { isSettled } from './looks';

/**
 * Gives back how the disk describes every folder on the way down to a real path. Who puts a link in
 * the place of one changes the folder that holds it, and nobody can set back the time of that; so
 * while two descriptions are equal, all that was opened in between was opened where it seems to be.
 * Null: there is a link on the way, or something changed so recently that another change might not
 * show.
 */
export function wayTo(real: string): string | null {
	const names = real.split('/').filter((name) => name !== '');
	const folders = names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`);
	const steps = ['/', ...folders].map(describe);
	return steps.includes(null) ? null : steps.join('');
}

function describe(folder: string): string | null {
	try {
		const stats = lstatSync(folder);
		if (!stats.isDirectory() || !isSettled(stats)) return null;
		const { dev, ino, mtimeMs, ctimeMs } = stats;
		return `${dev} ${ino} ${mtimeMs} ${ctimeMs};`;
	} catch {
		return null;
	}
}
