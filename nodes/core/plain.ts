/**
 * A fast path for the YAML that nearly all headers are made of. It understands only what it surely
 * understands as `yaml` does, which a differential test proves; for all else it gives back null.
 */

// Letters, marks and plain spaces; no tab, other space, invisible or control character, surrogate.
const UNUSUAL =
	/[^\n\x20-\x7e\u00a1-\u167f\u1681-\u180d\u180f-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff\ue000-\ufdcf\ufdf0-\ufefe\uff01-\uffef]/;
// What `yaml` could take for an indicator at the start of a text.
const INDICATORS = new Set('-?:,[]{}#&*!|>\'"%@` ');
const DOUBLE = /^"([^"\\]*)"$/;
const SINGLE = /^'([^']*)'$/;
const KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const NESTED = /^( +)([A-Za-z_][A-Za-z0-9_-]*): +(.*)$/;
const ITEM = /^( *)- +(.*)$/;
const FLOW_ITEM = /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/;
const BLOCK = /^([|>])(-?)$/;
const BLOCK_LINE = /^( +)([^ ]|[^ ].*[^ ])$/;

/** Gives back the values of a simple header as `yaml` would, or null. */
export function parsePlainMapping(text: string): Map<string, unknown> | null {
	if (UNUSUAL.test(text)) return null;
	const lines = text.split('\n');
	const values = new Map<string, unknown>();
	let at = 0;
	while (at < lines.length) {
		const line = lines[at];
		if (line === '' || line.startsWith('#')) {
			at++;
			continue;
		}
		const colon = line.indexOf(':');
		const key = line.slice(0, Math.max(colon, 0));
		const isSpaced = colon === line.length - 1 || line[colon + 1] === ' ';
		if (!isSpaced || !KEY.test(key) || values.has(key)) return null;
		const end = blockEnd(lines, at + 1);
		const block = end === at + 1 ? NO_LINES : lines.slice(at + 1, end);
		const value = valueOf(line.slice(colon + 1).trim(), block);
		if (value === null) return null;
		values.set(key, value);
		at = end;
	}
	return values.size === 0 ? null : values;
}

const NO_LINES: string[] = [];

/** Gives back where the lines that belong to a key end: the next one that is not indented. */
function blockEnd(lines: string[], start: number): number {
	let end = start;
	while (end < lines.length && (lines[end].startsWith(' ') || lines[end].startsWith('- '))) end++;
	return end;
}

function valueOf(inline: string, block: string[]): unknown {
	if (block.length === 0) return inline === '' ? null : (scalar(inline) ?? flowList(inline));
	if (inline === '') return list(block) ?? mapping(block);
	const style = BLOCK.exec(inline);
	return style ? blockText(style[1], style[2], block) : null;
}

/** Tells whether `yaml` takes a text as it is: with no indicator, comment, key or mark of a document. */
function isPlain(text: string): boolean {
	return (
		text !== '' &&
		!INDICATORS.has(text[0]) &&
		!text.includes(': ') &&
		!text.endsWith(':') &&
		!text.includes(' #') &&
		!text.startsWith('...')
	);
}

function scalar(text: string): string | null {
	if (isPlain(text)) return text;
	return DOUBLE.exec(text)?.[1] ?? SINGLE.exec(text)?.[1] ?? null;
}

function flowList(text: string): string[] | null {
	if (!text.startsWith('[') || !text.endsWith(']')) return null;
	const items = text
		.slice(1, -1)
		.split(',')
		.map((item) => item.trim());
	const values = items.map((item) => (FLOW_ITEM.test(item) ? item : DOUBLE.exec(item)?.[1]));
	return values.every((value) => value !== undefined) ? values : null;
}

function list(block: string[]): string[] | null {
	const values = aligned(block, ITEM)?.map((match) => scalar(match[2].trimEnd()));
	return values?.every((value) => value !== null) ? values : null;
}

function mapping(block: string[]): Map<string, string> | null {
	const values = new Map<string, string>();
	for (const [, , key, text] of aligned(block, NESTED) ?? []) {
		const value = scalar(text.trimEnd());
		if (value === null || values.has(key)) return null;
		values.set(key, value);
	}
	return values.size === block.length ? values : null;
}

function blockText(style: string, chomping: string, block: string[]): string | null {
	const lines = aligned(block, BLOCK_LINE)?.map((match) => match[2]);
	if (!lines) return null;
	return lines.join(style === '>' ? ' ' : '\n') + (chomping === '-' ? '' : '\n');
}

/** Gives back the lines as a pattern reads them, if it reads all and all are indented alike. */
function aligned(block: string[], pattern: RegExp): RegExpExecArray[] | null {
	const matches = block.map((line) => pattern.exec(line));
	const isAligned = matches.every((match) => match !== null && match[1] === matches[0]?.[1]);
	return isAligned ? (matches as RegExpExecArray[]) : null;
}
