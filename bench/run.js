/**
 * Measures our package against the disk and against its peers; see docs/performance.md. Each file in
 * suites/ is a function that gives back `ratios` and `amounts` by key, their `limits` (the most that
 * each may be), and what else it has to `report`.
 */
const { mkdtempSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const { cpus, loadavg, tmpdir } = require('node:os');
const { join } = require('node:path');

const { writeChart } = require('./chart');
const { writePage } = require('./page');
const { loadPeers } = require('./peers');
const { writeSkills } = require('./skills');

const RESULTS = join(__dirname, 'results.json');
const SUITES = join(__dirname, 'suites');

/** Runs the suites one after the other over the same skills. */
async function runSuites(root) {
	const made = new Map();
	const sourcesOf = (size) => {
		if (!made.has(size)) made.set(size, writeSkills(join(root, String(size)), size));
		return made.get(size);
	};
	const environment = { root, sourcesOf, peers: loadPeers() };
	const all = { ratios: {}, amounts: {}, limits: {}, report: {} };
	for (const file of readdirSync(SUITES).sort()) {
		const result = await require(join(SUITES, file))(environment);
		for (const part of Object.keys(all)) Object.assign(all[part], result[part]);
	}
	return all;
}

/** Prints each figure beside its limit and gives back those that miss it. */
function check(figures, limits) {
	console.log('');
	return Object.entries(limits).flatMap(([key, limit]) => {
		const value = figures[key];
		const isMet = value !== undefined && value <= limit;
		const shown = value === undefined ? 'not measured' : value.toFixed(2);
		console.log(`${isMet ? 'ok  ' : 'MISS'} ${key}: ${shown} (at most ${limit})`);
		return isMet ? [] : [key];
	});
}

async function main() {
	const root = mkdtempSync(join(tmpdir(), 'agent-skills-bench-'));
	try {
		// What else the machine did meanwhile belongs to the figures.
		const { ratios, amounts, limits, report } = await runSuites(root);
		const load = loadavg()[0].toFixed(1);
		const figures = { ...ratios, ...amounts };
		const missed = check(figures, limits);
		const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, load };
		const results = { machine, figures, limits, ...report };
		writeFileSync(RESULTS, `${JSON.stringify(results, null, '\t')}\n`);
		writeChart(results);
		writePage(results);
		console.log('');
		console.log(JSON.stringify(figures, (_, value) => rounded(value)));
		if (missed.length > 0) process.exitCode = 1;
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

function rounded(value) {
	return typeof value === 'number' ? Number(value.toFixed(3)) : value;
}

void main();
