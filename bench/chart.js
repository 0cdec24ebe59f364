/** Draws docs/images/performance.svg from the results: time to load 1,000 skills, on a log scale. */
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const WIDTH = 720;
const LEFT = 230;
const BAR = 26;
const GAP = 14;
const BARS = [
	['stat of every SKILL.md', 'stat', '#9aa0b5'],
	['ours, nothing changed', 'warm', '#e4572e'],
	['read every SKILL.md', 'floor', '#9aa0b5'],
	['ours, first time', 'cold', '#e4572e'],
	['@n8n/agents', 'n8nAgents', '#5b6b9e'],
	['deepagents', 'deepagents', '#5b6b9e'],
];

/** Writes the chart. */
function writeChart({ times, machine }) {
	const row = times.find(({ size }) => size === 1000);
	const bars = BARS.filter(([, key]) => row[key] !== undefined);
	const max = Math.max(...bars.map(([, key]) => row[key]));
	const scale = (ms) => (Math.log10(1 + ms) / Math.log10(1 + max)) * (WIDTH - LEFT - 110);
	const lines = bars.map(([label, key, colour], index) => {
		const y = 50 + index * (BAR + GAP);
		const width = scale(row[key]).toFixed(1);
		const middle = y + BAR / 2 + 5;
		return [
			`<text x="${LEFT - 12}" y="${middle}" text-anchor="end">${label}</text>`,
			`<rect x="${LEFT}" y="${y}" width="${width}" height="${BAR}" rx="4" fill="${colour}"/>`,
			`<text x="${LEFT + Number(width) + 8}" y="${middle}">${row[key].toFixed(1)} ms</text>`,
		].join('');
	});
	const height = 60 + bars.length * (BAR + GAP) + 24;
	const title = 'Time to know 1,000 skills (median, log scale)';
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="14" fill="#3b3f5c"><rect width="100%" height="100%" fill="#fff"/><text x="20" y="28" font-size="16" font-weight="bold">${title}</text>${lines.join('')}<text x="20" y="${height - 12}" font-size="11">Node.js ${machine.node}, ${machine.cores} cores</text></svg>\n`;
	const folder = join(__dirname, '..', 'docs', 'images');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'performance.svg'), svg);
}

module.exports = { writeChart };
