import type { SkillMetadata } from './types';
import { normalizeName } from './validate';

const NAME_WEIGHT = 5;
const EXACT_WEIGHT = 100;
const MIN_STEM = 4;

/** Gives back the skills that fit a query, best first; equal ones in catalog order. */
export function searchSkills(skills: SkillMetadata[], query: string): SkillMetadata[] {
	const words = [...new Set(wordsOf(query))];
	const wanted = normalizeName(query);
	return skills
		.map((skill) => ({ skill, score: scoreOf(skill, words, wanted) }))
		.filter(({ score }) => score > 0)
		.sort((a, b) => b.score - a.score)
		.map(({ skill }) => skill);
}

function scoreOf(skill: SkillMetadata, words: string[], wanted: string): number {
	const inName = wordsOf(skill.name);
	const inText = wordsOf([skill.description, ...Object.values(skill.metadata)].join(' '));
	const exact = normalizeName(skill.name) === wanted ? EXACT_WEIGHT : 0;
	return words.reduce(
		(sum, word) => sum + best(word, inName) * NAME_WEIGHT + best(word, inText),
		exact,
	);
}

/** Gives back 1 for the word itself, less for one that begins alike (report, reports). */
function best(word: string, among: string[]): number {
	if (among.includes(word)) return 1;
	const alike = among.some(
		(other) =>
			Math.min(word.length, other.length) >= MIN_STEM &&
			(other.startsWith(word) || word.startsWith(other)),
	);
	return alike ? 0.5 : 0;
}

const UNSPACED = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]';
const WORD = new RegExp(`${UNSPACED}|(?:(?!${UNSPACED})[\\p{L}\\p{M}\\p{N}])+`, 'gu');

/**
 * Gives back the words of a text as they are compared. Languages without spaces are cut into single
 * characters, which is enough to rank by.
 */
export function wordsOf(text: string): string[] {
	return text.normalize('NFKC').toLowerCase().match(WORD) ?? [];
}
