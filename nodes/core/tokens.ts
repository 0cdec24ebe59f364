import { CHARS_PER_TOKEN } from './limits';

/** Gives back about how many tokens a text has: a quarter of Latin text, each other character. */
export function estimateTokens(text: string): number {
	const wide = text.length - (text.match(/[\u0000-\u024f]/g)?.length ?? 0);
	return Math.ceil((text.length - wide) / CHARS_PER_TOKEN) + wide;
}
