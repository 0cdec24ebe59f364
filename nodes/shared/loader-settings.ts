import { NodeOperationError } from 'n8n-workflow';

import { DEFAULT_MAX_LOADED_SKILLS } from '../core/limits';
import type { Scope } from '../core/loaded';
import { patternList } from '../core/pattern';
import { toolArguments, type ToolName } from '../core/schema';
import type { ToolAnswer, ToolContext } from '../core/tools';
import type { Caller } from './caller';
import type { NodeContext } from './context';
import { addHint } from './hints';
import { otherOrigins } from './origin';
import { toolPrefix } from './prefix';
import { resolveScope, type ScopeOptions } from './session';
import { openLoadedStore, showStateHints } from './shared-state';
import { requiredSkills } from './skills-input';

/** Parameters of the Skill Loader Tool. */
export interface LoaderSettings {
	tools: ToolName[];
	catalog: 'automatic' | 'always' | 'never';
	scope: Scope;
	context: ToolContext;
}

/** Gives back what a Skill Loader Tool is set to, with its skills and its state. */
export async function readSettings(
	context: NodeContext,
	itemIndex: number,
	caller: Caller,
): Promise<LoaderSettings> {
	const options = context.getNodeParameter('options', itemIndex, {}) as ScopeOptions & {
		toolPrefix?: string;
		catalogInDescription?: LoaderSettings['catalog'];
		readFilesOf?: 'any' | 'loaded';
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
	const skills = await requiredSkills(context, itemIndex);
	return {
		tools: (Object.keys(toolArguments) as ToolName[]).filter((tool) => tools.includes(tool)),
		catalog: options.catalogInDescription ?? 'automatic',
		scope,
		context: {
			skills,
			otherOrigins: otherOrigins(context, skills.origin),
			store: openLoadedStore(context, itemIndex, scope),
			maxLoaded,
			prefix: toolPrefix(options.toolPrefix),
			...caller,
			pinned: patternList(context.getNodeParameter('pinnedSkills', itemIndex, '') as string),
			readLoadedOnly: options.readFilesOf === 'loaded',
			now: Date.now,
		},
	};
}

/** Shows the person what a call did. */
export function showHints(context: NodeContext, { hint }: ToolAnswer): void {
	if (hint !== undefined) addHint(context, hint);
	showStateHints(context);
}
