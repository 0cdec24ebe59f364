/** The heap that a discovered skill takes; bodies are not kept. */
const { setTimeout } = require('node:timers/promises');

const ours = require('../ours');

/** Gives back the bytes a skill at 1,000 skills. */
async function memory({ sourcesOf }) {
	const sources = sourcesOf(1000);
	// Once before: code that is compiled now is not the skills'.
	await ours.skillSet(sources).refresh();
	ours.forget();
	// What the last turn still holds must be gone, or it would make up for what comes.
	await setTimeout(50);
	globalThis.gc();
	globalThis.gc();
	const before = process.memoryUsage().heapUsed;
	const set = ours.skillSet(sources);
	const { skills } = await set.refresh();
	globalThis.gc();
	const used = process.memoryUsage().heapUsed - before;
	if (skills.length !== 1000) throw new Error('not all skills were found');
	return { amounts: { heapPerSkill: used / skills.length }, limits: { heapPerSkill: 2048 } };
}

module.exports = memory;
