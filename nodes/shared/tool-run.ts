import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { messageOf } from '../core/errors';
import { refusal, runTool, type ToolAnswer } from '../core/tools';
import { restoreAgentItem } from './agent-item';
import { engineCaller } from './caller';
import { readSettings, showHints } from './loader-settings';
import { toolCallOf, type ToolCall } from './tool-call';

/** Gives back the answer of the tool that AI Agent 3 asked the engine to run. */
export async function executeTool(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const call = toolCallOf(context);
	if (call === null) {
		throw new NodeOperationError(context.getNode(), 'This node is a tool for an AI Agent', {
			description: 'Connect it to the "Tool" input of an AI Agent and run the agent.',
		});
	}
	restoreAgentItem(context);
	const answer = await answerCall(context, call);
	showHints(context, answer);
	return [[{ json: { response: answer.text }, pairedItem: { item: 0 } }]];
}

async function answerCall(context: IExecuteFunctions, call: ToolCall): Promise<ToolAnswer> {
	const { tool, prefix, arguments: args } = call;
	// Before any parameter is resolved, so that nothing is asked for a call that is refused.
	const refused = refusal(prefix, tool, args);
	if (refused) return refused;
	try {
		const settings = await readSettings(context, 0, engineCaller(context));
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
