/** A header in the manner of public SKILL.md files, and whether the fast path is to understand it. */
export interface RealHeader {
	header: string;
	isPlain: boolean;
}

const plain = (...lines: string[]): RealHeader => ({ header: lines.join('\n'), isPlain: true });
const odd = (...lines: string[]): RealHeader => ({ header: lines.join('\n'), isPlain: false });

/** Written for these tests after the kinds of headers that public files have. */
export const REAL_HEADERS: RealHeader[] = [
	plain('name: pdf-forms', 'description: Fills in PDF forms. Use it when a form is attached.'),
	plain('name: deploy', 'description: Deploys a service (staging or production), then checks it.'),
	plain('name: notes', 'description: "Turns notes into tasks: owner, date, and what is open."'),
	plain("name: 'mail'", "description: 'Answers mails of customers; see the tone guide.'"),
	plain('name: version-keys', 'description: Has a version', 'version: 1.2.0', 'author: someone'),
	plain('name: licensed', 'description: Has a licence', 'license: Apache-2.0'),
	plain(
		'name: tools-text',
		'description: Names tools',
		'allowed-tools: Read, Grep, Bash(git add:*)',
	),
	plain('name: tools-flow', 'description: Names tools', 'allowed-tools: [Read, Write, Bash]'),
	plain('name: tools-list', 'description: Names tools', 'allowed-tools:', '  - Read', '  - Write'),
	plain('name: flush-list', 'description: A list without indentation', 'tags:', '- one', '- two'),
	plain('name: tags', 'description: Has tags', 'tags: ["finance", "mail"]'),
	plain(
		'name: meta',
		'description: Has metadata',
		'metadata:',
		'  author: team',
		'  version: "1.0"',
	),
	plain('name: folded', 'description: >', '  Folds its lines', '  into one.'),
	plain('name: stripped', 'description: >-', '  Folds its lines', '  and ends without a break.'),
	plain('name: literal', 'description: |', '  First line', '  second line'),
	plain('name: hidden', 'description: Not for the model', 'disable-model-invocation: true'),
	plain('# written by hand', 'name: commented', '', 'description: Has a comment above'),
	plain('name: sprachen', 'description: Prüft Verträge auf Kündigungsfristen – auch englische'),
	plain('name: japanese', 'description: 請求書を読み取り、合計を確認します'),
	plain('name: link', 'description: Follows https://example.com/docs when asked'),
	plain('name: home', 'description: Has a page', 'homepage: https://example.com/skill'),
	odd('name: colon', 'description: Use when: the user asks for a report'),
	odd('name: hash', 'description: Files issues #12 and # thirteen'),
	odd('name: emoji', 'description: Celebrates 🎉 releases'),
	odd('name: escaped', 'description: "Says \\"hello\\" and ends the line\\n"'),
	odd('name: doubled', "description: 'It''s quoted'"),
	odd('name: continued', 'description: Goes on', '  over a second line'),
	odd('name: paragraphs', 'description: |', '  First', '', '  second'),
	odd('name: deeper', 'description: |', '  Steps:', '    indented'),
	odd('name: json', 'description: Has JSON', 'metadata: {"openclaw": {"requires": ["node"]}}'),
	odd('name: nested', 'description: Nests', 'metadata:', '  requires:', '    bins: [node]'),
	odd('name: anchor', 'description: &text Something', 'summary: *text'),
	odd('name: tagged', 'description: !!str 12'),
	odd('name: kept', 'description: >+', '  Keeps its end', ''),
	odd('name: twice', 'name: again', 'description: Has a key twice'),
	odd('name: tab', 'description:\tHas a tab'),
	odd('name: empty', 'description:'),
	odd('name: late-comment', 'description: Reads mail # and ignores this'),
	odd('name: question', 'description: ? what'),
	odd('name: start', 'description: @team reviews it'),
	odd('name: tick', 'description: `code` first'),
	odd('name: dots', 'description: Ends', '...'),
	odd('"name": quoted-key', 'description: Has a quoted key'),
	odd('just text without any key'),
];
