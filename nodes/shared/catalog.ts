import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { renderCatalog, type CatalogFormat } from '../core/catalog';
import { deliverLoaded, unknownPins } from '../core/conversation';
import { DEFAULT_CATALOG_TOKENS, DEFAULT_MAX_LOADED_SKILLS } from '../core/limits';
import { patternList } from '../core/pattern';
import type { SkillMetadata, SkillSnapshot } from '../core/types';
import { toNodeError } from './errors';
import { executionId, noteCatalog } from './executions';
import { addHint, snapshotHints } from './hints';
import { otherOrigins } from './origin';
import { toolPrefix } from './prefix';
import { resolveScope, type ScopeOptions } from './session';
import { openLoadedStore, showStateHints } from './shared-state';
import { requiredSkills } from './skills-input';

/** The Options of Skill Catalog Prompt. */
interface CatalogSettings extends ScopeOptions {
	outputField?: string;
	addSkills?: boolean;
	maxTokens?: number;
	maxLoadedSkills?: number;
	showWarnings?: boolean;
	pinnedSkills?: string;
	userMessage?: unknown;
	toolPrefix?: string;
}

const DEFAULT_FIELD = 'skillsPrompt';
const SKILLS_FIELD = 'skills';

/** Gives back every item with its catalog added. */
export async function addCatalogs(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const output: INodeExecutionData[] = [];
	for (let index = 0; index < items.length; index++) {
		try {
			const json = { ...items[index].json, ...(await catalogFields(context, index)) };
			output.push({ ...items[index], json, pairedItem: { item: index } });
		} catch (error) {
			const nodeError = toNodeError(context, error, index);
			if (!context.continueOnFail()) throw nodeError;
			// n8n takes an item for the error output only when it has no other fields.
			const kept = context.getNode().onError === 'continueErrorOutput' ? {} : items[index].json;
			const json = { ...kept, error: nodeError.message };
			output.push({ ...items[index], json, pairedItem: { item: index } });
		}
	}
	return [output];
}

async function catalogFields(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
	const settings = context.getNodeParameter('options', itemIndex, {}) as CatalogSettings;
	const prefix = toolPrefix(settings.toolPrefix);
	const pinned = patternList(settings.pinnedSkills ?? '');
	const scope = resolveScope(context, itemIndex, settings);
	const skills = await requiredSkills(context, itemIndex);
	const snapshot = await skills.refresh();
	const delivery = await deliverLoaded({
		skills,
		snapshot,
		store: openLoadedStore(context, itemIndex, scope),
		execution: executionId(context),
		otherOrigins: otherOrigins(context, skills.origin),
		pinned,
		repeatInstructions: context.getNodeParameter('includeInstructions', itemIndex, true) as boolean,
		message: userMessage(context, itemIndex, settings),
		maxLoaded: settings.maxLoadedSkills ?? DEFAULT_MAX_LOADED_SKILLS,
		prefix,
		now: Date.now,
	});
	noteCatalog(context, scope);
	if (itemIndex === 0) showFindings(context, snapshot, unknownPins(snapshot, pinned));
	for (const message of delivery.hints) addHint(context, message);
	showStateHints(context);
	const prompt = renderCatalog(
		{ snapshot, loaded: delivery.loaded, tail: delivery.tail },
		{
			format: context.getNodeParameter('format', itemIndex, 'markdown') as CatalogFormat,
			template: context.getNodeParameter('template', itemIndex, '') as string,
			maxTokens: settings.maxTokens ?? DEFAULT_CATALOG_TOKENS,
			showWarnings: settings.showWarnings ?? true,
			prefix,
		},
	);
	const added: IDataObject = { [settings.outputField?.trim() || DEFAULT_FIELD]: prompt };
	if (settings.addSkills) {
		const loaded = (skill: SkillMetadata) => delivery.loaded.has(skill.name);
		added[SKILLS_FIELD] = snapshot.skills.map((skill) => skillData(skill, loaded(skill)));
	}
	return added;
}

function userMessage(
	context: IExecuteFunctions,
	itemIndex: number,
	{ userMessage: own }: CatalogSettings,
): string {
	const message: unknown = own ?? context.evaluateExpression('{{ $json.chatInput }}', itemIndex);
	return typeof message === 'string' ? message : '';
}

function showFindings(
	context: IExecuteFunctions,
	snapshot: SkillSnapshot,
	missingPins: string[],
): void {
	for (const { message, type } of snapshotHints(snapshot)) addHint(context, message, type);
	for (const name of missingPins) {
		addHint(context, `No skill is named "${name}"; check "Pinned Skills".`, 'warning');
	}
}

function skillData(skill: SkillMetadata, loaded: boolean): IDataObject {
	const { name, description, source, directory, allowedTools, metadata, license, compatibility } =
		skill;
	return {
		name,
		description,
		loaded,
		source,
		directory,
		allowedTools,
		metadata,
		...(license === undefined ? {} : { license }),
		...(compatibility === undefined ? {} : { compatibility }),
		...(skill.others === undefined ? {} : { others: skill.others }),
	};
}
