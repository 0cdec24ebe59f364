import { LineCounter, parseDocument } from 'yaml';

import { messageOf, type Position } from './errors';
import { MAX_YAML_ALIASES } from './limits';

/** What a YAML text holds: a mapping of its top-level keys, or the first problem. */
export type YamlMapping =
	| { values: Map<string, unknown> }
	| { problem: string; position: Position };

const START: Position = { line: 1, column: 1 };

/**
 * Gives back a YAML mapping with every scalar as text (the failsafe schema: no numbers, dates or
 * custom tags to misread). This is the one module that imports `yaml`; the build bundles it here.
 */
export function parseYamlMapping(text: string): YamlMapping {
	const lineCounter = new LineCounter();
	try {
		const document = parseDocument(text, {
			schema: 'failsafe',
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

function firstLine(text: string): string {
	return text.split('\n', 1)[0];
}
