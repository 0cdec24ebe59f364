import { LineCounter, parseDocument } from 'yaml';

import { messageOf, type Position } from './errors';
import { MAX_YAML_ALIASES, MAX_YAML_NESTING } from './limits';

/** Why a text is not a YAML mapping, and where. */
export interface YamlProblem {
	problem: string;
	position: Position;
}

/** What a YAML text holds: a mapping of its top-level keys, or the first problem. */
export type YamlMapping = { values: Map<string, unknown> } | YamlProblem;

const START: Position = { line: 1, column: 1 };

/**
 * Gives back a YAML mapping with every scalar as text (the failsafe schema: no numbers, dates or
 * custom tags to misread). This is the one module that imports `yaml`; the build bundles it here.
 */
export function parseYamlMapping(text: string): YamlMapping {
	const deep = tooDeep(text);
	if (deep !== null) return { problem: 'It is nested too deep', position: deep };
	const lineCounter = new LineCounter();
	try {
		const document = parseDocument(text, {
			schema: 'failsafe',
			resolveKnownTags: false,
			lineCounter,
			logLevel: 'silent',
			prettyErrors: false,
		});
		const [error] = document.errors;
		if (error) {
			const { line, col } = lineCounter.linePos(error.pos[0]);
			return { problem: firstLine(error.message), position: { line, column: col } };
		}
		// As a Map, a key such as `__proto__` is only a key.
		const values: unknown = document.toJS({ mapAsMap: true, maxAliasCount: MAX_YAML_ALIASES });
		if (values instanceof Map) {
			return { values: new Map([...values].map(([key, value]) => [String(key), value])) };
		}
		return { problem: 'It is not a list of "key: value" lines', position: START };
	} catch (error) {
		return { problem: firstLine(messageOf(error)), position: START };
	}
}

/**
 * Gives back a YAML mapping as JSON has it (YAML 1.2 core schema), to compare it with what a server
 * says; it throws where there is none.
 */
export function parseYamlJson(text: string): Record<string, unknown> {
	if (tooDeep(text) !== null) throw new Error('it is nested too deep');
	const document = parseDocument(text, { schema: 'core', logLevel: 'silent', prettyErrors: false });
	const [error] = document.errors;
	if (error) throw new Error(firstLine(error.message));
	const value: unknown = document.toJS({ maxAliasCount: MAX_YAML_ALIASES });
	if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
		return value as Record<string, unknown>;
	}
	throw new Error('it is not a list of "key: value" lines');
}

// A line's indentation bounds its levels, and so do the marks in it ("- - - x", "? &a ? &a x").
const DEEP_INDENT = ' '.repeat(2 * MAX_YAML_NESTING);
const MARKS = /[-?:](?=[ \t])/g;

function isDeepLine(line: string): boolean {
	return line.startsWith(DEEP_INDENT) || (line.match(MARKS)?.length ?? 0) > MAX_YAML_NESTING;
}

/**
 * Gives back where a text is nested too deep. The parser recurses, and where its stack ends V8 may
 * end the whole process instead of throwing, so this must be known before.
 */
function tooDeep(text: string): Position | null {
	let open = 0;
	for (const [index, line] of text.split('\n').entries()) {
		if (isDeepLine(line)) return { line: index + 1, column: 1 };
		for (const { 0: bracket, index: at } of line.matchAll(/[[\]{}]/g)) {
			open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(open - 1, 0);
			if (open > MAX_YAML_NESTING) return { line: index + 1, column: at + 1 };
		}
	}
	return null;
}

function firstLine(text: string): string {
	return text.split('\n', 1)[0];
}
