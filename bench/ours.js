/** Our package as it is published: the compiled nodes. */
const { join } = require('node:path');

const dist = (module) => require(join(__dirname, '..', 'dist', 'nodes', module));
const { createFilesystemBackend } = dist('core/backends');
const { clearLooks } = dist('core/backends/looks');
const { renderCatalog } = dist('core/catalog');
const { clearRegistryCache } = dist('core/registry');
const { createSkillSet } = dist('core/skillset');
const { SkillLoaderTool } = dist('SkillLoaderTool/SkillLoaderTool.node');
const { SkillsSource } = dist('SkillsSource/SkillsSource.node');

const access = { isBlocked: () => false, explain: () => '' };

/** Gives back the skills of some folders, as a Skills Source would. */
function skillSet(sources) {
	const backend = createFilesystemBackend({ root: '', sources, access });
	return createSkillSet({
		backend,
		sources: sources.map((path) => ({ path, label: 'Bench' })),
	});
}

/** Forgets all, as a new process. */
function forget() {
	clearRegistryCache();
	clearLooks();
}

/** Gives back the catalog in a format. */
async function catalog(sources, format) {
	const snapshot = await skillSet(sources).refresh();
	const options = { format, template: '', prefix: '', maxTokens: 0, showWarnings: true };
	return renderCatalog({ snapshot, loaded: new Map(), tail: [] }, options);
}

/** A context with what n8n gives to a node, and nothing that costs time. */
function contextOf(name, parameters, more = {}) {
	const ignore = () => undefined;
	return {
		getNode: () => ({ name, type: name, typeVersion: 1, parameters }),
		getNodeParameter: (key, _, fallback) =>
			key.split('.').reduce((at, part) => at?.[part], parameters) ?? fallback,
		getExecutionId: () => 'bench',
		getMode: () => 'webhook',
		getWorkflow: () => ({ id: 'bench' }),
		getWorkflowStaticData: () => staticData,
		getChatTrigger: () => null,
		getParentNodes: () => [],
		evaluateExpression: ignore,
		getInputData: () => [],
		addExecutionHints: ignore,
		addInputData: () => ({ index: 0 }),
		addOutputData: ignore,
		logger: { debug: ignore, warn: ignore, error: ignore },
		helpers: { isFilePathBlocked: () => false },
		...more,
	};
}

const staticData = {};

/** Gives back a function that lets the node load and unload a skill as AI Agent 3 does. */
function toolCalls(sources) {
	const source = { source: sources.map((path) => ({ path, label: 'Bench' })) };
	const sourceContext = contextOf(
		'Source',
		{ backend: 'filesystem', sources: source, options: {} },
		{
			getInputConnectionData: async () => undefined,
		},
	);
	const supply = async () => (await new SkillsSource().supplyData.call(sourceContext, 0)).response;
	const node = new SkillLoaderTool();
	return async (tool, skill) => {
		const json = { tool, skill_name: skill };
		const runData = { Loader: [{ inputOverride: { ai_tool: [[{ json }]] } }] };
		const context = contextOf(
			'Loader',
			{ maxLoadedSkills: 10, options: {} },
			{
				getInputConnectionData: supply,
				runExecutionData: { resultData: { runData } },
				runIndex: 0,
			},
		);
		const [[item]] = await node.execute.call(context);
		return item.json.response;
	};
}

module.exports = { catalog, forget, skillSet, toolCalls };
