/** Measures our package against the disk and against its peers; see docs/performance.md. */
const {
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} = require('node:fs');
const { readFile } = require('node:fs/promises');
const { cpus, tmpdir } = require('node:os');
const { join } = require('node:path');
const { createRequire } = require('node:module');

const { interleaved } = require('./measure');
const ours = require('./ours');
const { loadPeers } = require('./peers');
const { skillOf, writeSkills } = require('./skills');

const SIZES = [10, 100, 1000, 10000];
const ROUNDS = { 10: 41, 100: 41, 1000: 21, 10000: 7 };
const LIMITS = {
	coldVsFloor: 5,
	coldVsN8nAgents: 0.25,
	coldVsDeepagents: 0.1,
	warmVsStat: 1.5,
	warmOneChanged: 1.2,
	warmToolCall: 3,
	scaling: 11,
	heapPerSkill: 2048,
	catalogTokensPerSkill: 1.1,
	catalogTokensCompact: 1.02,
};

const root = mkdtempSync(join(tmpdir(), 'agent-skills-bench-'));
const filesIn = (sources) =>
	sources.flatMap((source) => readdirSync(source).map((dir) => join(source, dir, 'SKILL.md')));

/** Times all ways to load so many skills cold, and ours warm. */
async function measureSize(size, peers) {
	const sources = writeSkills(join(root, String(size)), size);
	const files = filesIn(sources);
	const cold = {
		floor: { run: () => filesIn(sources).forEach((file) => readFileSync(file)) },
		stat: { run: () => files.forEach((file) => statSync(file)) },
		cold: { before: ours.forget, run: () => ours.skillSet(sources).refresh() },
	};
	for (const [name, { load }] of Object.entries(peers)) cold[name] = { run: () => load(sources) };
	const times = await interleaved(cold, ROUNDS[size]);
	await ours.skillSet(sources).refresh();
	let tick = 0;
	const touch = () => utimesSync(files[0], new Date(), new Date(Date.now() + ++tick));
	const warm = await interleaved(
		{
			stat: cold.stat,
			warm: { run: () => ours.skillSet(sources).refresh() },
			oneChanged: { before: touch, run: () => ours.skillSet(sources).refresh() },
		},
		ROUNDS[size] * 5,
	);
	return {
		size,
		sources,
		times: { ...times, warmStat: warm.stat, warm: warm.warm, oneChanged: warm.oneChanged },
	};
}

/** Gives back a tool call's time over that of reading the one SKILL.md that it is about. */
async function measureToolCall(sources) {
	const call = ours.toolCalls(sources);
	const { name } = skillOf(500);
	const file = join(sources[0], name, 'SKILL.md');
	const answer = await call('load_skill', name);
	if (!answer.includes(`<skill_content name="${name}"`)) throw new Error(answer);
	const { read, load } = await interleaved(
		{
			read: { run: () => readFile(file, 'utf8') },
			load: { before: () => call('unload_skill', name), run: () => call('load_skill', name) },
		},
		301,
	);
	return load / read;
}

/** Gives back the heap that a discovered skill takes, bodies let go. */
async function measureHeap(sources, size) {
	ours.forget();
	globalThis.gc();
	const before = process.memoryUsage().heapUsed;
	const set = ours.skillSet(sources);
	const snapshot = await set.refresh();
	globalThis.gc();
	const used = process.memoryUsage().heapUsed - before;
	if (snapshot.skills.length !== size) throw new Error('not all skills were found');
	return used / size;
}

/** Gives back the tokens a skill of each catalog, and over those of the bare text. */
async function measureTokens(sources, size, peers) {
	const { getEncoding } = createRequire(join(__dirname, 'package.json'))('js-tiktoken');
	const encoding = getEncoding('o200k_base');
	const tokens = (text) => encoding.encode(text).length / size;
	const bare = Array.from({ length: size }, (_, index) => skillOf(index))
		.map(({ name, description }) => `${name}: ${description}`)
		.join('\n');
	const result = { bare: tokens(bare) };
	for (const format of ['markdown', 'compact', 'xml']) {
		result[format] = tokens(await ours.catalog(sources, format));
	}
	for (const [name, { catalog }] of Object.entries(peers)) {
		result[name] = tokens(await catalog(sources));
	}
	return result;
}

function printTable(results) {
	const columns = ['stat', 'floor', 'cold', 'warm', 'oneChanged', 'n8nAgents', 'deepagents'];
	console.log(['skills', ...columns].map((text) => text.padStart(11)).join(''));
	for (const { size, times } of results) {
		const cells = columns.map((column) => (times[column]?.toFixed(2) ?? '–').padStart(11));
		console.log(String(size).padStart(11) + cells.join(''));
	}
	console.log('(median milliseconds)\n');
}

async function main() {
	const peers = loadPeers();
	const results = [];
	for (const size of SIZES) results.push(await measureSize(size, peers));
	printTable(results);
	const at = (size) => results.find((result) => result.size === size);
	const { times, sources } = at(1000);
	const tokens = await measureTokens(sources, 1000, peers);
	const summary = {
		coldVsFloor: times.cold / times.floor,
		coldVsN8nAgents: times.cold / times.n8nAgents,
		coldVsDeepagents: times.cold / times.deepagents,
		warmVsStat: times.warm / times.warmStat,
		warmOneChanged: times.oneChanged / times.warm,
		warmToolCall: await measureToolCall(sources),
		scaling: at(10000).times.cold / times.cold,
		heapPerSkill: await measureHeap(sources, 1000),
		catalogTokensPerSkill: tokens.markdown,
		catalogTokensCompact: tokens.compact,
	};
	console.log(
		'tokens a skill:',
		Object.entries(tokens)
			.map(([name, n]) => `${name} ${n.toFixed(1)}`)
			.join(', '),
	);
	const ratio = {
		catalogTokensPerSkill: tokens.markdown / tokens.bare,
		catalogTokensCompact: tokens.compact / tokens.bare,
	};
	for (const [key, limit] of Object.entries(LIMITS)) {
		const value = ratio[key] ?? summary[key];
		console.log(
			`${value <= limit ? 'ok  ' : 'MISS'} ${key} ${value.toFixed(2)} (at most ${limit})`,
		);
	}
	const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
	const timesBySize = results.map(({ size, times: all }) => ({ size, ...all }));
	const report = { machine, summary, tokens, times: timesBySize };
	writeFileSync(join(__dirname, 'results.json'), `${JSON.stringify(report, null, '\t')}\n`);
	require('./chart').writeChart(report);
	console.log(
		JSON.stringify(
			Object.fromEntries(
				Object.entries(summary).map(([key, value]) => [key, Number(value.toFixed(3))]),
			),
		),
	);
}

main()
	.catch((error) => {
		console.error(error);
		process.exitCode = 1;
	})
	.finally(() => rmSync(root, { recursive: true, force: true }));
