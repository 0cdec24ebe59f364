/** Writes the figures into the documentation, so that it says what was measured. */
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const PAGES = { performance: performanceLines, 'queue-mode': queueLines };
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

const ms = (value) => (value === undefined ? '–' : value.toFixed(value < 10 ? 2 : 0));

/** Replaces what stands between the two marks of each page. */
function writePages(results) {
	const marks = /(<!-- measured -->\n)[^]*(<!-- end -->)/;
	for (const [name, linesOf] of Object.entries(PAGES)) {
		const path = join(__dirname, '..', 'docs', `${name}.md`);
		const lines = linesOf(results).join('\n');
		const page = readFileSync(path, 'utf8');
		writeFileSync(
			path,
			page.replace(marks, (_, start, end) => `${start}${lines}\n${end}`),
		);
	}
}

function performanceLines({ machine, times, tokens, figures, limits }) {
	return [
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
}

const MODES = {
	regular: 'one n8n, static data',
	without: 'queue mode, without Shared State',
	postgres: 'queue mode, Shared State in Postgres',
	redis: 'queue mode, Shared State in Redis',
};

function queueLines({ machine, queue }) {
	const lines = Object.entries(MODES).map(([key, title]) => {
		const { turn, over, kept, asked } = queue[key];
		const ratio = key === 'regular' ? turn / queue.without.turn : over;
		return row([title, ms(turn), ratio.toFixed(2), `${kept} of ${asked}`]);
	});
	return [
		`Node.js ${machine.node}, ${machine.cores} cores; a turn is a question, the catalog, one \`load_skill\` and the answer:`,
		'',
		row([
			'mode',
			'milliseconds a turn (median)',
			'over queue mode without',
			'loads known to the next turn',
		]),
		row(['---', '---:', '---:', '---:']),
		...lines,
	];
}

module.exports = { writePages };
