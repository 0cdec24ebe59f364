/** A broken header, the line of the file that is broken, and what must be recovered. */
export interface BrokenHeader {
	text: string;
	line: number;
	name: string;
	description: string;
}

/** One way to break a description; `{text}` is where the words go. */
const DESCRIPTIONS: Array<[kind: string, value: string, line: number]> = [
	['colon', ': Use when: {text}', 0],
	['colon twice', ': {text}: first: second', 0],
	['asterisk', ': *{text}* and more', 0],
	['at sign', ': @{text}', 0],
	['backtick', ': `{text}` does it', 0],
	['link', ': [{text}](https://example.com) explains', 0],
	['percent', ': %{text}', 0],
	['bracket', ': [{text}', 0],
	['brace', ': {{text}} is a slot: fill it', 0],
	['inner quotes', ': "{text} "quoted" end"', 0],
	['open quote', ': "{text}', 0],
	['text after quotes', ': "{text}" - and more', 0],
	['continued', ': first\n{text}\nand on', 1],
	['continued list', ': first\n- {text}\nand on', 1],
	['block without indent', ': |\n{text}', 1],
	['folded without indent', ': >-\n{text}\nmore', 1],
	['tab', ': first\n\t{text}: x', 1],
	['exclamation and colon', ': !important {text}: x', 0],
	['question mark', ': ? {text}: x', 0],
	['dash', ': - {text}: x', 0],
];

/** The other keys, around the broken one. */
const FRAMES: Array<(description: string) => { header: string[]; at: number }> = [
	(description) => ({ header: ['name: {name}', `description${description}`], at: 1 }),
	(description) => ({
		header: [
			'version: 1.0',
			`description${description}`,
			'allowed-tools: [Read, Bash(git:*)]',
			'metadata:',
			'  author: someone',
			'name: {name}',
		],
		at: 1,
	}),
];

/** Gives back 40 headers that a YAML parser refuses, of the kinds that public files have. */
export function brokenHeaders(): BrokenHeader[] {
	return FRAMES.flatMap((frame, frameIndex) =>
		DESCRIPTIONS.map(([kind, value, offset], index) => {
			const name = `skill-${frameIndex}-${index}`;
			const words = `words of ${kind}`;
			const { header, at } = frame(value.replace('{text}', words));
			const text = `---\n${header.join('\n').replace('{name}', name)}\n---\n\n# Body\n`;
			// One line for the fence, and lines count from 1.
			return { text, line: at + offset + 2, name, description: words };
		}),
	);
}
