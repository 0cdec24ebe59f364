/** Keeps what was measured, and says it: in the terminal, in a chart and in the documentation. */
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const { writeChart } = require('./chart');
const { writePages } = require('./page');

const RESULTS = join(__dirname, 'results.json');

/** Stores the results. */
function writeResults(results) {
	writeFileSync(RESULTS, `${JSON.stringify(results, null, '\t')}\n`);
}

/** Adds figures, their limits and what else was measured to the stored results. */
function addResults({ figures, limits, ...more }) {
	const results = readResults();
	writeResults({
		...results,
		...more,
		figures: { ...results.figures, ...figures },
		limits: { ...results.limits, ...limits },
	});
}

/** Says all that is stored, ends with one line of JSON, and gives back the keys that miss their limit. */
function report() {
	const results = readResults();
	const missed = check(results);
	writeChart(results);
	writePages(results);
	console.log('');
	console.log(JSON.stringify(results.figures, (_, value) => rounded(value)));
	return missed;
}

function readResults() {
	return JSON.parse(readFileSync(RESULTS, 'utf8'));
}

/** Prints each figure beside its limit and gives back those that miss it. */
function check({ figures, limits }) {
	console.log('');
	return Object.entries(limits).flatMap(([key, limit]) => {
		const value = figures[key];
		const isMet = value !== undefined && value <= limit;
		const shown = value === undefined ? 'not measured' : value.toFixed(2);
		console.log(`${isMet ? 'ok  ' : 'MISS'} ${key}: ${shown} (at most ${limit})`);
		return isMet ? [] : [key];
	});
}

function rounded(value) {
	return typeof value === 'number' ? Number(value.toFixed(3)) : value;
}

module.exports = { addResults, report, writeResults };
