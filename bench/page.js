/** Writes the figures into docs/performance.md, so that the page says what was measured. */
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const PAGE = join(__dirname, '..', 'docs', 'performance.md');
const COLUMNS = {
	stat: '`stat` of every file',
	warm: 'ours, nothing changed',
	oneChanged: 'ours, one changed',
	floor: 'reading every file',
	cold: 'ours, first time',
	n8nAgents: '@n8n/agents',
	deepagents: 'deepagents',
};

const row = (cells) => `| ${cells.join(' | ')} |`;

/** Replaces what stands between the two marks of the page. */
function writePage({ machine, times, tokens, figures, limits }) {
	const ms = (value) => (value === undefined ? '–' : value.toFixed(value < 10 ? 2 : 0));
	const lines = [
		`Node.js ${machine.node}, ${machine.cores} cores, load ${machine.load ?? 'not noted'}; median milliseconds:`,
		'',
		row(['skills', ...Object.values(COLUMNS)]),
		row(['---', ...Object.keys(COLUMNS).map(() => '---:')]),
		...times.map((one) => row([one.size, ...Object.keys(COLUMNS).map((key) => ms(one[key]))])),
		'',
		row(['figure', 'measured', 'limit']),
		row(['---', '---:', '---:']),
		...Object.entries(figures).map(([key, value]) =>
			row([`\`${key}\``, value?.toFixed(2) ?? '–', limits[key] ?? '']),
		),
		'',
		`Tokens a skill: ${Object.entries(tokens)
			.map(([name, amount]) => `${name} ${amount.toFixed(1)}`)
			.join(' · ')}`,
	];
	const marks = /(<!-- measured -->\n)[^]*(<!-- end -->)/;
	const page = readFileSync(PAGE, 'utf8');
	writeFileSync(
		PAGE,
		page.replace(marks, (_, start, end) => `${start}${lines.join('\n')}\n${end}`),
	);
}

module.exports = { writePage };
