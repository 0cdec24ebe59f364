import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	ISupplyDataFunctions,
	SupplyData,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { renderCatalog } from '../core/catalog';
import { offeredNames, undeliveredPins, unknownPins } from '../core/conversation';
import { describeTool, modelSchema, type ToolTexts } from '../core/descriptions';
import { messageOf } from '../core/errors';
import { DEFAULT_CATALOG_TOKENS, DEFAULT_MAX_LOADED_SKILLS } from '../core/limits';
import type { Scope } from '../core/loaded';
import { patternList } from '../core/pattern';
import { toolArguments, type ToolName } from '../core/schema';
import { runTool, type ToolAnswer, type ToolContext } from '../core/tools';
import type { SkillSnapshot } from '../core/types';
import type { NodeContext } from './context';
import { executionId, hasCatalog, isFirstTime } from './executions';
import { addHint } from './hints';
import { LenientTool } from './lenient-tool';
import { toolPrefix } from './prefix';
import { resolveScope, type ScopeOptions } from './session';
import { requiredSkills } from './skills-input';
import { openStore, showRepairs } from './state';
import { toolCallOf, type ToolCall } from './tool-call';

/** Parameters of the Skill Loader Tool. */
interface Settings {
	tools: ToolName[];
	catalog: 'automatic' | 'always' | 'never';
	scope: Scope;
	context: ToolContext;
}

async function readSettings(context: NodeContext, itemIndex: number): Promise<Settings> {
	const options = context.getNodeParameter('options', itemIndex, {}) as ScopeOptions & {
		toolPrefix?: string;
		catalogInDescription?: Settings['catalog'];
	};
	const maxLoaded = Number(
		context.getNodeParameter('maxLoadedSkills', itemIndex, DEFAULT_MAX_LOADED_SKILLS),
	);
	if (!Number.isInteger(maxLoaded) || maxLoaded < 1) {
		throw new NodeOperationError(
			context.getNode(),
			'"Max Loaded Skills" must be a whole number of at least 1',
			{ itemIndex },
		);
	}
	const tools = context.getNodeParameter(
		'tools',
		itemIndex,
		Object.keys(toolArguments),
	) as ToolName[];
	const scope = resolveScope(context, itemIndex, options);
	return {
		tools: (Object.keys(toolArguments) as ToolName[]).filter((tool) => tools.includes(tool)),
		catalog: options.catalogInDescription ?? 'automatic',
		scope,
		context: {
			skills: await requiredSkills(context, itemIndex),
			store: openStore(context, scope),
			maxLoaded,
			prefix: toolPrefix(options.toolPrefix),
			execution: executionId(context),
			pinned: patternList(context.getNodeParameter('pinnedSkills', itemIndex, '') as string),
			now: Date.now,
		},
	};
}

/** Gives back the tools for an agent that calls them itself (AI Agent 1 and 2, MCP, sub-agents). */
export async function supplyToolkit(
	context: ISupplyDataFunctions,
	itemIndex: number,
): Promise<SupplyData> {
	const settings = await readSettings(context, itemIndex);
	const snapshot = await settings.context.skills.refresh();
	const texts = await toolTexts(context, settings, snapshot);
	const tools = settings.tools.map(
		(tool) =>
			new LenientTool({
				name: settings.context.prefix + tool,
				description: describeTool(tool, texts),
				schema: modelSchema(tool, texts),
				func: async (input: unknown) => await callLogged(context, settings, tool, input),
			}),
	);
	// n8n knows a toolkit by this shape.
	return { response: { tools, getTools: () => tools } };
}

async function toolTexts(
	context: NodeContext,
	settings: Settings,
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

/** Runs a tool and shows the run in n8n's logs, as the engine does for AI Agent 3. */
async function callLogged(
	context: ISupplyDataFunctions,
	settings: Settings,
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

/** Gives back the answer of the tool that AI Agent 3 asked the engine to run. */
export async function executeTool(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const call = toolCallOf(context);
	if (call === null) {
		throw new NodeOperationError(context.getNode(), 'This node is a tool for an AI Agent', {
			description: 'Connect it to the "Tool" input of an AI Agent and run the agent.',
		});
	}
	const answer = await answerCall(context, call);
	showHints(context, answer);
	return [[{ json: { response: answer.text }, pairedItem: { item: 0 } }]];
}

async function answerCall(context: IExecuteFunctions, call: ToolCall): Promise<ToolAnswer> {
	const { tool, arguments: args } = call;
	// Before any parameter is resolved: an expression would see the model's fields as the item's.
	if (!toolArguments[tool].safeParse(args).success) return await refuse(call);
	try {
		const settings = await readSettings(context, 0);
		if (!settings.tools.includes(tool)) {
			return { text: `Error: ${settings.context.prefix}${tool} is not offered here.` };
		}
		return await runTool(settings.context, tool, args);
	} catch (error) {
		const details = error instanceof NodeOperationError ? ` ${error.description ?? ''}` : '';
		context.logger.error(`Skill Loader Tool: ${messageOf(error)}${details}`);
		return { text: `Error: The skills cannot be used right now: ${messageOf(error)}${details}` };
	}
}

/** Gives back the refusal of arguments; needs no parameter, so none is resolved. */
async function refuse({ tool, prefix, arguments: args }: ToolCall): Promise<ToolAnswer> {
	return await runTool({ prefix } as ToolContext, tool, args);
}

function showHints(context: NodeContext, { hint }: ToolAnswer): void {
	if (hint !== undefined) addHint(context, hint);
	showRepairs(context);
}
