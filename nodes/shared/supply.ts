import { createHash } from 'node:crypto';

import type { IDataObject, ISupplyDataFunctions, SupplyData } from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { isOutage } from '../core/errors';
import { MAX_REPORTED_DIAGNOSTICS, MAX_REPORTED_NAMES } from '../core/limits';
import { createSkillSet } from '../core/skillset';
import type { SkillSnapshot } from '../core/types';
import { escapeMarkup } from '../core/text';
import { isFirstLook, isFirstTime } from './executions';
import { addHint, snapshotHints } from './hints';
import { connectedSkills } from './skills-input';
import { readSource } from './source';
import type { SourceOptions } from './sources';

/** Gives back the skills of this node over those underneath, and shows once what was found. */
export async function supplySkills(
	context: ISupplyDataFunctions,
	itemIndex: number,
): Promise<SupplyData> {
	const base = await connectedSkills(context, itemIndex);
	const skills = createSkillSet(await readSource(context, itemIndex, base));
	const snapshot = await skills.refresh();
	const { onSourceError } = context.getNodeParameter('options', itemIndex, {}) as SourceOptions;
	if (onSourceError === 'fail') assertAllRead(context, itemIndex, snapshot);
	show(context, snapshot);
	return { response: skills };
}

function assertAllRead(
	context: ISupplyDataFunctions,
	itemIndex: number,
	{ sources, diagnostics }: SkillSnapshot,
): void {
	const bad = sources.filter(({ status }) => status !== 'ok' && status !== 'empty');
	const problems = diagnostics.filter((one) => one.code === 'source-stale' || isOutage(one));
	if (bad.length === 0 && problems.length === 0) return;
	const places = bad.map(({ label }) => label).join(', ') || context.getNode().name;
	// All in the message: of a sub-node's error n8n shows just that.
	const reasons = problems.map(({ message }) => message).join(' ');
	throw new NodeOperationError(
		context.getNode(),
		escapeMarkup(`Skills could not be read: ${places}. ${reasons}`),
		{ itemIndex },
	);
}

/** Shows what was found, once in an execution unless it differs: n8n asks for each tool call. */
function show(context: ISupplyDataFunctions, snapshot: SkillSnapshot): void {
	if (!isFirstLook(context, snapshot)) return;
	const json = report(snapshot);
	const digest = createHash('sha256').update(JSON.stringify(json)).digest('base64');
	if (!isFirstTime(context, `source:${context.getNode().name}:${digest}`)) return;
	// n8n keeps a sub-node's hints only when output follows them.
	for (const { message, type } of snapshotHints(snapshot)) addHint(context, message, type);
	const { index } = context.addInputData(NodeConnectionTypes.AiDocument, [[{ json: {} }]]);
	context.addOutputData(NodeConnectionTypes.AiDocument, index, [[{ json }]]);
	context.logger.debug(`Skills Source: ${snapshot.skills.length} skills`);
}

/** Gives back what a person wants to see of the skills that were found. */
export function report({ skills, sources, diagnostics }: SkillSnapshot): IDataObject {
	const names = skills.map(({ name }) => name);
	return {
		skills: skills.length,
		sources: sources.map((source) => ({ ...source })),
		names: names.slice(0, MAX_REPORTED_NAMES),
		...(names.length > MAX_REPORTED_NAMES
			? { namesLeftOut: names.length - MAX_REPORTED_NAMES }
			: {}),
		diagnostics: diagnostics
			.slice(0, MAX_REPORTED_DIAGNOSTICS)
			.map((one) => ({ ...one }) as IDataObject),
		...(diagnostics.length > MAX_REPORTED_DIAGNOSTICS
			? { diagnosticsLeftOut: diagnostics.length - MAX_REPORTED_DIAGNOSTICS }
			: {}),
	};
}
