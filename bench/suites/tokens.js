/** The tokens that the catalog takes in every prompt. */
const { createRequire } = require('node:module');
const { join } = require('node:path');

const ours = require('../ours');
const { skillOf } = require('../skills');

const SIZE = 1000;

/** Gives back the tokens a skill of each format and peer, and over those of the bare text. */
async function tokens({ peers, sourcesOf }) {
	const { getEncoding } = createRequire(join(__dirname, '..', 'package.json'))('js-tiktoken');
	const encoding = getEncoding('o200k_base');
	const perSkill = (text) => encoding.encode(text).length / SIZE;
	const sources = sourcesOf(SIZE);
	const bare = Array.from({ length: SIZE }, (_, index) => skillOf(index))
		.map(({ name, description }) => `${name}: ${description}`)
		.join('\n');
	const all = { bare: perSkill(bare) };
	for (const format of ['markdown', 'compact', 'xml']) {
		all[format] = perSkill(await ours.catalog(sources, format));
	}
	for (const [name, peer] of Object.entries(peers))
		all[name] = perSkill(await peer.catalog(sources));
	const shown = Object.entries(all).map(([name, amount]) => `${name} ${amount.toFixed(1)}`);
	console.log(`\nTokens a skill in the catalog: ${shown.join(', ')}`);
	return {
		ratios: {
			catalogVsBare: all.markdown / all.bare,
			catalogCompactVsBare: all.compact / all.bare,
		},
		amounts: { catalogTokensPerSkill: all.markdown, catalogTokensCompact: all.compact },
		limits: { catalogVsBare: 1.1, catalogCompactVsBare: 1.02 },
		report: { tokens: all },
	};
}

module.exports = tokens;
