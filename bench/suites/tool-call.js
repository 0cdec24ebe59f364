/** What `load_skill` costs an agent, from the node's `execute()` to its answer. */
const { readFileSync } = require('node:fs');
const { readFile } = require('node:fs/promises');
const { join } = require('node:path');

const { interleaved } = require('../measure');
const ours = require('../ours');
const { skillOf } = require('../skills');

/** Gives back a tool call's time over that of reading the one SKILL.md that it is about. */
async function toolCall({ sourcesOf }) {
	const sources = sourcesOf(1000);
	const call = ours.toolCalls(sources);
	const { name } = skillOf(500);
	const file = join(sources[0], name, 'SKILL.md');
	const answer = await call('load_skill', name);
	if (!answer.includes(`<skill_content name="${name}"`)) throw new Error(answer);
	const { ratio } = await interleaved(
		{
			read: { run: async () => await readFile(file, 'utf8') },
			readSync: { run: () => readFileSync(file, 'utf8') },
			load: {
				before: async () => await call('unload_skill', name),
				run: async () => await call('load_skill', name),
			},
		},
		301,
	);
	return {
		ratios: {
			warmToolCall: ratio('load', 'read'),
			warmToolCallVsSync: ratio('load', 'readSync'),
		},
		limits: { warmToolCall: 3 },
	};
}

module.exports = toolCall;
