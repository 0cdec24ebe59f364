import { sharedWords, wordsOf } from './words';

const MAX_LINES = 14;
const MAX_LINE_CHARACTERS = 240;
const LONGEST_TEXT = 1_000_000;

/** A few lines of a text as a Markdown quotation: its start, or the section that fits the question. */
export function quote(text: string, question = ''): string {
	const lines = fittingSection(text.trim(), question).split('\n').slice(0, MAX_LINES);
	const cut = (line: string) => {
		const characters = [...line];
		if (characters.length <= MAX_LINE_CHARACTERS) return line;
		return `${characters.slice(0, MAX_LINE_CHARACTERS).join('')} …`;
	};
	const shown = lines.map((line) => `> ${cut(line)}`.trimEnd());
	return lines.length < text.trim().split('\n').length
		? [...shown, '> …'].join('\n')
		: shown.join('\n');
}

function fittingSection(text: string, question: string): string {
	const asked = wordsOf(question);
	const sections = text.split(/\n(?=#{1,4} )/u);
	if (asked.size === 0 || sections.length < 2) return text;
	// Of two sections that fit equally, the longer one says more.
	const score = (section: string) =>
		sharedWords(asked, wordsOf(section)).length + section.length / LONGEST_TEXT;
	return sections.reduce((best, section) => (score(section) > score(best) ? section : best));
}
