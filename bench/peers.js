/** The other skills clients, each loading the same folders. */
const { createRequire } = require('node:module');
const { join } = require('node:path');

const peers = createRequire(join(__dirname, 'package.json'));

/** Gives back the loaders of the peers by name; a peer that cannot be loaded is left out and named. */
function loadPeers() {
	const found = {};
	for (const [name, make] of Object.entries({ n8nAgents, deepagents })) {
		try {
			found[name] = make();
		} catch (error) {
			console.warn(`${name} cannot be measured: ${error.message}`);
		}
	}
	return found;
}

function n8nAgents() {
	const { loadRuntimeSkillSourceFromDirectory, renderSkillCatalogPrompt } = peers('@n8n/agents');
	return {
		load: async (sources) => sources.map((source) => loadRuntimeSkillSourceFromDirectory(source)),
		catalog: async ([source]) =>
			renderSkillCatalogPrompt(loadRuntimeSkillSourceFromDirectory(source).registry),
	};
}

function deepagents() {
	const { createSkillsMiddleware, FilesystemBackend } = peers('deepagents');
	const { SystemMessage } = peers('@langchain/core/messages');
	const make = (sources) =>
		createSkillsMiddleware({
			backend: new FilesystemBackend({ rootDir: sources[0], virtualMode: false }),
			sources,
		});
	return {
		load: async (sources) => await make(sources).beforeModel({}, {}),
		async catalog(sources) {
			const middleware = make(sources);
			const state = await middleware.beforeModel({}, {});
			const request = { state, systemMessage: new SystemMessage(''), messages: [], runtime: {} };
			let text = '';
			await middleware.wrapModelCall(request, async ({ systemMessage }) => {
				text = systemMessage.text;
				return systemMessage;
			});
			return text;
		},
	};
}

module.exports = { loadPeers };
