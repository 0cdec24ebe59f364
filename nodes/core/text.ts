import { MAX_ECHO_LENGTH } from './limits';

// Controls, bidi marks and overrides, zero-width characters, fillers, tag characters and the like, but
// not tab and newline, the number signs of Arabic and Kaithi (which one sees), and what follows below.
const INVISIBLE =
	/(?![\t\n\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u200c\u200d\ufe00-\ufe0f\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff0-\ufffb]/gu;
// A variation selector means something once, after an emoji, digit or ideograph; a run of them, or
// one between letters, only hides text or splits a tag.
const SELECTOR =
	/(?<=^|[\u0000-\u0022\u0024-\u0029\u002b-\u002f\u003a-\u007f\u200c\u200d\ufe00-\ufe0f])[\ufe00-\ufe0f]/g;
// Emoji and some scripts need a joiner between two of their characters; nothing else does.
const JOINER =
	/(?<![\p{Extended_Pictographic}\p{M}\ufe0f\u0600-\u0dff])[\u200c\u200d]|[\u200c\u200d](?![\p{Extended_Pictographic}\p{M}\u0600-\u0dff])/gu;
// All that parts words or lines; unlike \s without the byte order mark, which parts nothing.
const SPACES = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
const OWN_TAGS =
	/<(?=\s*(?:\/\s*)?(?:skill_content|available_skills|loaded_skills|skills_load_warnings)\b)/gi;
const ENTITIES: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

// Most instructions are plain ASCII, in which nothing is invisible but controls; it is quickly seen.
const PLAIN_TEXT = /^[\t\n -~]*$/;

/** Gives back the text without control and invisible characters, and with our own tags defused. */
export function safeText(text: string): string {
	return (PLAIN_TEXT.test(text) ? text : visibleText(text)).replace(OWN_TAGS, '&lt;');
}

function visibleText(text: string): string {
	return text
		.toWellFormed()
		.replace(/\r\n?/g, '\n')
		.replace(INVISIBLE, '')
		.replace(SELECTOR, '')
		.replace(JOINER, '');
}

// Words without markup, as nearly all names and descriptions are: there is nothing to make safe.
const SAFE_WORDS = /^[ -;=-~]+$/;

/** Tells whether a text is plain words with single spaces between them. */
function isSafeLine(text: string): boolean {
	return (
		SAFE_WORDS.test(text) && !text.includes('  ') && !text.startsWith(' ') && !text.endsWith(' ')
	);
}

/** Gives back untrusted text as one safe line. */
export function oneLine(text: string): string {
	if (isSafeLine(text)) return text;
	return safeText(text.replace(SPACES, ' ')).replace(/ {2,}/g, ' ').trim();
}

/** Gives back the text cut to a length, whole characters only, with an ellipsis where it was cut. */
export function cut(text: string, length: number): string {
	if (text.length <= length) return text;
	const end = length - 1;
	const high = text.charCodeAt(end - 1);
	return text.slice(0, high >= 0xd800 && high <= 0xdbff ? end - 1 : end).trimEnd() + '…';
}

/** Gives back text with the five characters of XML and HTML escaped. */
export function escapeMarkup(text: string): string {
	return text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** Gives back untrusted text as one line of Markdown that is nothing but text. */
export function escapeMarkdown(text: string): string {
	return oneLine(text)
		.replace(/[\\`*_[\]<>~|#!&]/g, '\\$&')
		.replace(/^(\d+)([.)])|^[-+=]/, (start, digits?: string, mark = '') =>
			digits === undefined ? `\\${start}` : `${digits}\\${mark}`,
		);
}

/** Gives back untrusted text as a block of Markdown that it cannot end. */
export function fenced(text: string, language = ''): string {
	const safe = safeText(text);
	const longest = Math.max(2, ...(safe.match(/`+/g) ?? []).map((run) => run.length));
	const fence = '`'.repeat(longest + 1);
	return `${fence}${language}\n${safe}${safe.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** Gives back a short, safe, one-line repetition of what the model sent. */
export function echo(value: unknown): string {
	const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
	return cut(oneLine(text.slice(0, MAX_ECHO_LENGTH * 4)), MAX_ECHO_LENGTH);
}

/** Gives back "1 script", "2 scripts". */
export function count(amount: number, noun: string): string {
	return `${amount.toLocaleString('en-US')} ${noun}${amount === 1 ? '' : 's'}`;
}
