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

/** Gives back a test for names: any of `include` (or all, if none) and none of `exclude`. */
export function nameFilter(include: string[], exclude: string[]): (name: string) => boolean {
	return (name) =>
		(include.length === 0 || include.some((pattern) => matchesPattern(name, pattern))) &&
		!exclude.some((pattern) => matchesPattern(name, pattern));
}
