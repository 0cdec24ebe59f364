import { diagnostic, type Diagnostic } from './errors';
import { MAX_FRONTMATTER_BYTES } from './limits';
import { parsePlainMapping } from './plain';
import { parseYamlMapping, type YamlProblem } from './yaml';

/** A SKILL.md cut in two; `header` is null when there is no frontmatter. */
export interface SplitSkill {
	header: string | null;
	body: string;
	/** The header began but never ended. */
	unclosed: boolean;
	/** Lines before the first line of the header. */
	offset: number;
}

const END_FENCE = /\n(?:---|\.\.\.)[ \t]*(?:\n|$)/g;
// A key of up to three words; a longer run before a colon is a sentence.
const TOP_LEVEL_KEY =
	/^(?:"([^"\n]+)"|'([^'\n]+)'|([A-Za-z_][\w.-]*(?: [\w.-]+){0,2}))[ \t]*:(?:[ \t]|$)/;

/** Gives back header and body of a SKILL.md, split on whole lines; CRLF and BOM are accepted. */
export function splitSkill(text: string): SplitSkill {
	const clean = withNewlines(text.startsWith('\ufeff') ? text.slice(1) : text);
	// By position, not by lines: a body may have thousands of them, and nobody asked for it yet.
	const start = /^(?:[^\S\n]*\n)*---[ \t]*(?:\n|$)/.exec(clean)?.[0];
	if (start === undefined) return { header: null, body: clean, unclosed: false, offset: 0 };
	const offset = start.split('\n').length - 1 || 1;
	END_FENCE.lastIndex = Math.max(start.length - 1, 0);
	const end = END_FENCE.exec(clean);
	if (end === null) return { header: clean.slice(start.length), body: '', unclosed: true, offset };
	return {
		header: clean.slice(start.length, Math.max(end.index, start.length)),
		body: clean.slice(END_FENCE.lastIndex),
		unclosed: false,
		offset,
	};
}

const EXACT_START = /^\ufeff?(?:[^\S\r\n]*(?:\r\n?|\n))*---[ \t]*(?:\r\n?|\n|$)/;
const EXACT_END = /(?:\r\n?|\n)(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|$)/g;

/** Gives back the body of a SKILL.md as it stands there, line ends included; null without a header. */
export function exactBody(text: string): string | null {
	const start = EXACT_START.exec(text)?.[0];
	if (start === undefined) return null;
	EXACT_END.lastIndex = Math.max(start.length - 1, 0);
	return EXACT_END.exec(text) === null ? null : text.slice(EXACT_END.lastIndex);
}

function withNewlines(text: string): string {
	return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The values of a frontmatter by key, and what had to be mended to get them. */
export interface Frontmatter {
	values: Map<string, unknown>;
	diagnostics: Diagnostic[];
}

/** Gives back the values of a header; what a YAML parser refuses is repaired block by block. */
export function parseFrontmatter(split: SplitSkill, path: string): Frontmatter {
	const { header, offset } = split;
	if (header === null) return failed('frontmatter-missing', missingText(split.body), path);
	if (split.unclosed) {
		return failed(
			'frontmatter-unclosed',
			'The frontmatter starts with "---" but no second line "---" ends it. Add one below the last "key: value" line.',
			path,
		);
	}
	if (header.length > MAX_FRONTMATTER_BYTES) {
		return failed(
			'frontmatter-too-large',
			`The frontmatter is longer than ${MAX_FRONTMATTER_BYTES} characters. Move text below the second "---".`,
			path,
		);
	}
	const plain = parsePlainMapping(header);
	if (plain) return { values: plain, diagnostics: [] };
	const parsed = parseYamlMapping(header);
	if ('values' in parsed) return { values: parsed.values, diagnostics: [] };
	return repair(header, parsed, offset, path);
}

function failed(
	code: 'frontmatter-missing' | 'frontmatter-unclosed' | 'frontmatter-too-large',
	message: string,
	path: string,
): Frontmatter {
	return { values: new Map(), diagnostics: [diagnostic(code, message, { path })] };
}

function missingText(body: string): string {
	const paragraph = body
		.split('\n')
		.map((line) => line.replace(/^[#>\s*-]+/, '').trim())
		.find((line) => line !== '');
	const suggestion = paragraph ? ` (perhaps: ${paragraph.slice(0, 120)})` : '';
	return `There is no frontmatter. Begin the file with a line "---", then "name: <the folder's name>" and "description: <what it does and when to use it>"${suggestion}, then a second line "---".`;
}

/** A run of header lines that belongs to one top-level key. */
interface Block {
	key: string;
	lines: string[];
	/** Lines of the header before the block. */
	offset: number;
}

function repair(
	header: string,
	whole: YamlProblem,
	headerOffset: number,
	path: string,
): Frontmatter {
	const values = new Map<string, unknown>();
	// A block's own problem says better where it stands than that of the header as a whole.
	let first: YamlProblem | undefined;
	for (const block of splitBlocks(header)) {
		const parsed = parseYamlMapping(block.lines.join('\n'));
		if ('problem' in parsed) first ??= moved(parsed, block.offset);
		const only = 'values' in parsed ? parsed.values.get(block.key) : undefined;
		values.set(block.key, only ?? blockText(block));
	}
	const { problem, position } = moved(first ?? whole, headerOffset);
	const what = `The frontmatter is not valid YAML (line ${position.line}, column ${position.column}): ${problem}`;
	if (values.size === 0) {
		return { values, diagnostics: [diagnostic('yaml-invalid', what, { path, position })] };
	}
	const message = `${what}. It was read as plain text where needed; put the value in quotes.`;
	return { values, diagnostics: [diagnostic('yaml-repaired', message, { path, position })] };
}

function moved({ problem, position }: YamlProblem, lines: number): YamlProblem {
	return { problem, position: { ...position, line: position.line + lines } };
}

function splitBlocks(header: string): Block[] {
	const blocks: Block[] = [];
	outdent(header.split('\n')).forEach((line, offset) => {
		const match = TOP_LEVEL_KEY.exec(line);
		const key = match?.[1] ?? match?.[2] ?? match?.[3];
		if (key !== undefined) blocks.push({ key, lines: [line], offset });
		else blocks.at(-1)?.lines.push(line);
	});
	return blocks;
}

/** Gives back the lines without the indentation of the first one, where they have it. */
function outdent(lines: string[]): string[] {
	const indent = /^[ \t]*/.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0] ?? '';
	return lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
}

/** Gives back the value of a block as the text that stands there. */
function blockText({ lines }: Block): string {
	const [first, ...rest] = lines;
	const value = first.slice(
		first.indexOf(':', TOP_LEVEL_KEY.exec(first)?.[0].lastIndexOf(':')) + 1,
	);
	const text = [value.replace(/^\s*[|>][+-]?\d?\s*$/, ''), ...rest]
		.map((line) => line.trim())
		.filter((line) => line !== '')
		.join('\n');
	// Quotes around it, or one that was opened and never closed.
	return text.replace(/^(["'])([^]*)\1$/, '$2').replace(/^(["'])((?:(?!\1)[^])*)$/, '$2');
}
