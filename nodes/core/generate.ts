import { MAX_YAML_NESTING } from './limits';

/** What a SKILL.md is made of; `fields` are all fields of the frontmatter but name and description. */
export interface SkillText {
	name: string;
	description: string;
	body: string;
	fields?: Record<string, unknown>;
}

/** How texts and keys are written. */
interface Style {
	quote(text: string): string;
	/** Follows the key of a flow mapping. */
	colon: string;
	mayBePlain: boolean;
}

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
	const header = render(all, NATURAL);
	return `---\n${looksDeep(header) ? render(all, GUARDED) : header}---\n${body.toWellFormed()}`;
}

/** A parser's guard against nesting counts brackets, and marks in a line, those in texts too. */
function looksDeep(header: string): boolean {
	const marks = header.split('\n').map((line) => line.match(/[-?:](?=[ \t])/g)?.length ?? 0);
	const brackets = header.match(/[[{]/g)?.length ?? 0;
	return brackets > MAX_YAML_NESTING || marks.some((amount) => amount > MAX_YAML_NESTING);
}

// A JSON string is a YAML double-quoted scalar; it holds any text on one line.
function quoted(text: string): string {
	return JSON.stringify(text.toWellFormed());
}

function guarded(text: string): string {
	const escaped = (character: string) => `\\x${character.charCodeAt(0).toString(16)}`;
	return quoted(text).replace(/[[\]{}]|(?<=[-?:]) /g, escaped);
}

const NATURAL: Style = { quote: quoted, colon: ': ', mayBePlain: true };
const GUARDED: Style = { quote: guarded, colon: ':', mayBePlain: false };

function render(fields: Array<[string, unknown]>, style: Style): string {
	return fields.map(([key, value]) => field(key, value, style)).join('');
}

function field(key: string, value: unknown, style: Style): string {
	const name = scalar(key, WORD, style);
	if (name.length > MAX_IMPLICIT_KEY) return `? ${name}\n: ${valueText(value, SENTENCE, style)}\n`;
	if (isFlag(key, value)) return `${name}: ${value}\n`;
	if (!isPlainMapping(value)) return `${name}: ${valueText(value, SENTENCE, style)}\n`;
	const lines = Object.entries(value).map(
		([part, text]) => `  ${scalar(part, WORD, style)}: ${scalar(text, SENTENCE, style)}\n`,
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

function valueText(value: unknown, plain: RegExp, style: Style): string {
	if (typeof value === 'string') return scalar(value, plain, style);
	if (Array.isArray(value)) {
		return `[${value.map((part) => valueText(part, WORD, style)).join(', ')}]`;
	}
	if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
	const pairs = Object.entries(value).map(
		([key, part]) => `${style.quote(key)}${style.colon}${valueText(part, WORD, style)}`,
	);
	return `{${pairs.join(', ')}}`;
}

function scalar(text: string, plain: RegExp, { quote, mayBePlain }: Style): string {
	return mayBePlain && plain.test(text) && !KEYWORD.test(text) ? text : quote(text);
}
