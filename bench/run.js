/**
 * Measures our package against the disk and against its peers; see docs/performance.md. Each file in
 * suites/ is a function that gives back `ratios` and `amounts` by key, their `limits` (the most that
 * each may be), and what else it has to `report`.
 */
const { mkdtempSync, readdirSync, rmSync } = require('node:fs');
const { cpus, loadavg, tmpdir } = require('node:os');
const { join } = require('node:path');

const { loadPeers } = require('./peers');
const { writeResults } = require('./report');
const { writeSkills } = require('./skills');

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

async function main() {
	const root = mkdtempSync(join(tmpdir(), 'agent-skills-bench-'));
	try {
		// What else the machine did meanwhile belongs to the figures.
		const { ratios, amounts, limits, report } = await runSuites(root);
		const load = loadavg()[0].toFixed(1);
		const figures = { ...ratios, ...amounts };
		const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, load };
		writeResults({ machine, figures, limits, ...report });
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

void main();
