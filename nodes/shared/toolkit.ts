import type { IDataObject, ISupplyDataFunctions, SupplyData } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { renderCatalog } from '../core/catalog';
import { offeredNames, undeliveredPins, unknownPins } from '../core/conversation';
import { describeTool, modelSchema, type ToolTexts } from '../core/descriptions';
import { DEFAULT_CATALOG_TOKENS } from '../core/limits';
import type { ToolName } from '../core/schema';
import { runTool } from '../core/tools';
import type { SkillSnapshot } from '../core/types';
import { restoreAgentItem } from './agent-item';
import type { NodeContext } from './context';
import { newCaller } from './caller';
import { hasCatalog, isFirstTime, textsGiven } from './executions';
import { addHint } from './hints';
import { LenientTool } from './lenient-tool';
import { readSettings, showHints, type LoaderSettings } from './loader-settings';

/** Gives back the tools for an agent that calls them itself (AI Agent 1 and 2, MCP, sub-agents). */
export async function supplyToolkit(
	context: ISupplyDataFunctions,
	itemIndex: number,
): Promise<SupplyData> {
	// A sub-agent is itself called by a model, and its tools see what that one sent.
	restoreAgentItem(context);
	const settings = await readSettings(context, itemIndex, newCaller(context));
	const snapshot = await settings.context.skills.refresh();
	const texts = await toolTexts(context, settings, snapshot);
	const tools = settings.tools.map(
		(tool) =>
			new LenientTool({
				name: settings.context.prefix + tool,
				description: describeTool(tool, texts),
				schema: modelSchema(tool, texts),
				func: async (input: unknown, run?: { parentRunId?: string }) =>
					await callLogged(context, ofRun(context, settings, run), tool, input),
			}),
	);
	// n8n knows a toolkit by this shape.
	return { response: { tools, getTools: () => tools } };
}

async function toolTexts(
	context: NodeContext,
	settings: LoaderSettings,
	snapshot: SkillSnapshot,
): Promise<ToolTexts> {
	const { prefix, pinned } = settings.context;
	for (const name of unknownPins(snapshot, pinned)) {
		context.logger.warn(`pin-not-found: no skill is named "${name}"`);
	}
	const wantsCatalog =
		settings.catalog === 'always' ||
		(settings.catalog === 'automatic' && !hasCatalog(context, settings.scope));
	const catalog = wantsCatalog
		? renderCatalog(
				{ snapshot, loaded: new Map(), tail: [] },
				{
					format: 'compact',
					template: '',
					prefix,
					maxTokens: DEFAULT_CATALOG_TOKENS,
					showWarnings: false,
				},
			)
		: '';
	return {
		prefix,
		names: offeredNames(snapshot, pinned),
		catalog: snapshot.skills.length === 0 ? '' : catalog,
		pins: await undeliveredPins({ ...settings.context, snapshot }),
	};
}

/** Gives back the settings for one run of the agent: AI Agent 1 has one set of tools for all items. */
function ofRun(
	context: NodeContext,
	settings: LoaderSettings,
	run: { parentRunId?: string } | undefined,
): LoaderSettings {
	if (settings.context.execution === '' || run?.parentRunId === undefined) return settings;
	const execution = `${settings.context.execution}/${run.parentRunId}`;
	const given = textsGiven(context, execution);
	return { ...settings, context: { ...settings.context, execution, given } };
}

/** Runs a tool and shows the run in n8n's logs, as the engine does for AI Agent 3. */
async function callLogged(
	context: ISupplyDataFunctions,
	settings: LoaderSettings,
	tool: ToolName,
	input: unknown,
): Promise<string> {
	const json = { ...(input as IDataObject), tool: settings.context.prefix + tool };
	const { index } = context.addInputData(NodeConnectionTypes.AiTool, [[{ json }]]);
	const answer = await runTool(settings.context, tool, input);
	showHints(context, answer);
	warnOfSharedSession(context);
	context.addOutputData(NodeConnectionTypes.AiTool, index, [[{ json: { response: answer.text } }]]);
	// One context serves all calls: without this each would show the hints of those before it.
	(context as { hints?: unknown[] }).hints = [];
	return answer.text;
}

function warnOfSharedSession(context: ISupplyDataFunctions): void {
	const items = context.getInputData(0, NodeConnectionTypes.Main);
	if (items.length < 2 || !isFirstTime(context, 'shared-session')) return;
	addHint(
		context,
		'This version of the AI Agent prepares its tools once for all items: all items share the session of the first one. Use AI Agent version 3, or a Loop Over Items node, to keep them apart.',
		'warning',
	);
}
