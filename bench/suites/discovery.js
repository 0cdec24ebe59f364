/** How long it takes to know all skills: the first time, when nothing changed, when one did. */
const { readdirSync, readFileSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setTimeout } = require('node:timers/promises');

const { interleaved } = require('../measure');
const ours = require('../ours');
const { RACY_MS } = require('../../dist/nodes/core/limits');
const { UNUSUAL_HEADERS, writeSkills } = require('../skills');

const ROUNDS = { 10: 21, 100: 21, 1000: 21, 10000: 3 };
const COLUMNS = ['stat', 'floor', 'cold', 'warm', 'oneChanged', 'n8nAgents', 'deepagents'];

const filesIn = (sources) =>
	sources.flatMap((source) => readdirSync(source).map((dir) => join(source, dir, 'SKILL.md')));
const load = async (sources) => await ours.skillSet(sources).refresh();
const cold = (sources) => ({ before: ours.forget, run: async () => await load(sources) });

/** Gives back the keys of this suite, their limits, and the times by number of skills. */
async function discovery({ root, peers, sourcesOf }) {
	const bySize = {};
	for (const size of Object.keys(ROUNDS).map(Number)) {
		bySize[size] = await measureSize(size, sourcesOf(size), peers);
	}
	const { first, again, after } = bySize[1000];
	const unusual = writeSkills(join(root, 'unusual'), 1000, UNUSUAL_HEADERS);
	const odd = await interleaved({ floor: floor(unusual), cold: cold(unusual) }, 11, {
		collect: true,
	});
	const times = Object.entries(bySize).map(([size, { medians }]) => ({ size: +size, ...medians }));
	printTable(times);
	return {
		ratios: {
			coldVsFloor: first.ratio('cold', 'floor'),
			coldVsN8nAgents: peers.n8nAgents && first.ratio('cold', 'n8nAgents'),
			coldVsDeepagents: peers.deepagents && first.ratio('cold', 'deepagents'),
			coldVsFloorByYaml: odd.ratio('cold', 'floor'),
			warmVsStat: again.ratio('warm', 'stat'),
			warmOneChanged: after.ratio('oneChanged', 'warm'),
			scaling: bySize[10000].first.medians.cold / first.medians.cold,
		},
		limits: {
			coldVsFloor: 5,
			coldVsN8nAgents: 0.25,
			coldVsDeepagents: 0.1,
			warmVsStat: 1.5,
			warmOneChanged: 1.2,
			scaling: 11,
		},
		report: { times },
	};
}

const floor = (sources) => ({
	run: () => filesIn(sources).forEach((file) => readFileSync(file)),
});

async function measureSize(size, sources, peers) {
	const files = filesIn(sources);
	const stat = { run: () => files.forEach((file) => statSync(file)) };
	const others = Object.entries(peers).map(([name, peer]) => [
		name,
		{ run: async () => await peer.load(sources) },
	]);
	const first = await interleaved(
		{ floor: floor(sources), cold: cold(sources), ...Object.fromEntries(others) },
		ROUNDS[size],
		{ collect: true, warmUp: size > 1000 ? 0 : undefined },
	);
	await settle(sources);
	const warm = { run: async () => await load(sources) };
	const again = await interleaved({ stat, warm }, ROUNDS[size] * 5);
	const settled = { ...warm, before: async () => await settle(sources) };
	const edit = editor(files[size >> 1]);
	const edited = {
		...warm,
		async before() {
			await settle(sources);
			edit();
		},
	};
	const after = await interleaved({ warm: settled, oneChanged: edited }, ROUNDS[size]);
	const { oneChanged } = after.medians;
	return { first, again, after, medians: { ...first.medians, ...again.medians, oneChanged } };
}

/** Waits until a change would surely show, and looks once more: what changed just now is read again. */
async function settle(sources) {
	await setTimeout(RACY_MS * 1.2);
	await load(sources);
}

/** Gives back a function that writes another description of the same length into a SKILL.md. */
function editor(file) {
	const text = readFileSync(file, 'utf8');
	let edits = 0;
	return () => {
		const description = `Edited for the ${String(++edits).padStart(6, '0')}th time. Use it for case`;
		writeFileSync(file, text.replace(/This skill .*? case/, description));
	};
}

function printTable(times) {
	console.log('Median milliseconds');
	console.log(['skills', ...COLUMNS].map((text) => text.padStart(11)).join(''));
	for (const row of times) {
		const cells = COLUMNS.map((column) => (row[column]?.toFixed(2) ?? '–').padStart(11));
		console.log(String(row.size).padStart(11) + cells.join(''));
	}
}

module.exports = discovery;
