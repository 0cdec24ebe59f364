import { MAX_YAML_NESTING } from './limits';

/** What a SKILL.md is made of; `fields` are all fields of the frontmatter but name and description. */
export interface SkillText {
	name: string;
	description: string;
	body: string;
	fields?: Record<string, unknown>;
}

type Quote = (text: string) => string;

// What every YAML parser reads as this very text, without quotes: plain words, in a list one word.
const SENTENCE = /^[A-Za-z][\w.,;!?()'/&%+=-]*(?: [\w(][\w.,;!?()'/&%+=-]*)*$/;
const WORD = /^[A-Za-z][\w./-]*$/;
const KEYWORD = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
// A YAML parser need not look further for the colon after a key.
const MAX_IMPLICIT_KEY = 1000;

/** Gives back the text of a SKILL.md, the inverse of the parser: it reads back what was given. */
export function generateSkill({ name, description, body, fields = {} }: SkillText): string {
	const own: Record<string, unknown> = { name, description };
	const all = Object.entries({ ...own, ...fields, ...own });
	const header = render(all, quoted);
	// A parser's guard against nesting counts brackets, those in texts too.
	const isBracketed = (header.match(/[[{]/g) ?? []).length > MAX_YAML_NESTING;
	return `---\n${isBracketed ? render(all, unbracketed) : header}---\n${body.toWellFormed()}`;
}

// A JSON string is a YAML double-quoted scalar; it holds any text on one line.
function quoted(text: string): string {
	return JSON.stringify(text.toWellFormed());
}

function unbracketed(text: string): string {
	const escaped = (bracket: string) => `\\x${bracket.charCodeAt(0).toString(16)}`;
	return quoted(text).replace(/[[\]{}]/g, escaped);
}

function render(fields: Array<[string, unknown]>, quote: Quote): string {
	return fields.map(([key, value]) => field(key, value, quote)).join('');
}

function field(key: string, value: unknown, quote: Quote): string {
	const name = scalar(key, WORD, quote);
	if (name.length > MAX_IMPLICIT_KEY) return `? ${name}\n: ${valueText(value, SENTENCE, quote)}\n`;
	if (isFlag(key, value)) return `${name}: ${value}\n`;
	if (!isPlainMapping(value)) return `${name}: ${valueText(value, SENTENCE, quote)}\n`;
	const lines = Object.entries(value).map(
		([part, text]) => `  ${scalar(part, WORD, quote)}: ${scalar(text, SENTENCE, quote)}\n`,
	);
	return `${name}:\n${lines.join('')}`;
}

/** Tells whether a value is best written as indented lines, as `metadata` mostly is. */
function isPlainMapping(value: unknown): value is Record<string, string> {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
	const pairs = Object.entries(value);
	const isShort = ([key, text]: [string, unknown]) =>
		typeof text === 'string' && JSON.stringify(key).length <= MAX_IMPLICIT_KEY / 2;
	return pairs.length > 0 && pairs.every(isShort);
}

/** Other readers of the file want a real true or false; for ours it is the same text. */
function isFlag(key: string, value: unknown): value is string {
	return key !== 'name' && key !== 'description' && (value === 'true' || value === 'false');
}

function valueText(value: unknown, plain: RegExp, quote: Quote): string {
	if (typeof value === 'string') return scalar(value, plain, quote);
	if (Array.isArray(value)) {
		return `[${value.map((part) => valueText(part, WORD, quote)).join(', ')}]`;
	}
	if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
	const pairs = Object.entries(value).map(
		([key, part]) => `${quote(key)}: ${valueText(part, WORD, quote)}`,
	);
	return `{${pairs.join(', ')}}`;
}

function scalar(text: string, plain: RegExp, quote: Quote): string {
	return plain.test(text) && !KEYWORD.test(text) ? text : quote(text);
}
