import { MAX_CACHED_SOURCES } from './limits';
import { LruMap } from './lru';

/** Tells whether a name fits a pattern with `*` and `?`; linear in both, whatever they hold. */
export function matchesPattern(name: string, pattern: string): boolean {
	const text = [...name.toLowerCase()];
	const glob = [...pattern.toLowerCase()];
	let at = 0;
	let index = 0;
	let star = -1;
	let retry = 0;
	while (at < text.length) {
		if (index < glob.length && (glob[index] === '?' || glob[index] === text[at])) {
			at++;
			index++;
		} else if (glob[index] === '*') {
			star = index++;
			retry = at;
		} else if (star >= 0) {
			index = star + 1;
			at = ++retry;
		} else return false;
	}
	while (glob[index] === '*') index++;
	return index === glob.length;
}

/** Gives back the patterns of a text: parted by commas or new lines. */
export function patternList(text: string): string[] {
	return text
		.split(/[,\n]/)
		.map((part) => part.trim())
		.filter((part) => part !== '');
}

type NameTest = (name: string) => boolean;

const filters = new LruMap<string, NameTest>(MAX_CACHED_SOURCES);

/**
 * Gives back a test for names: any of `include` (or all, if none) and none of `exclude`. For the
 * same patterns it is the same function, by which a snapshot that need not be made anew is known.
 */
export function nameFilter(include: string[], exclude: string[]): NameTest {
	return filters.getOrCreate(JSON.stringify([include, exclude]), () => (name) => {
		const isIn = include.length === 0 || include.some((pattern) => matchesPattern(name, pattern));
		return isIn && !exclude.some((pattern) => matchesPattern(name, pattern));
	});
}
