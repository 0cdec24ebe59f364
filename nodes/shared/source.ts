import { createDataBackend } from '../core/backends';
import { diagnostic, SkillError } from '../core/errors';
import { nameFilter, patternList } from '../core/pattern';
import type { SkillSetOptions } from '../core/skillset';
import type { SkillSet } from '../core/types';
import type { NodeContext } from './context';
import { toNodeError } from './errors';
import { refreshMemory } from './executions';
import { originOf } from './origin';
import { SOURCES, type OpenedSource, type SourceOptions } from './sources';

/** Gives back what a Skills Source node is set to, ready to make a skill set of. */
export async function readSource(
	context: NodeContext,
	itemIndex: number,
	base: SkillSet | undefined,
): Promise<SkillSetOptions> {
	const options = context.getNodeParameter('options', itemIndex, {}) as SourceOptions;
	const backend = context.getNodeParameter('backend', itemIndex, 'filesystem') as string;
	const { include = '', exclude = '' } = options;
	const isVisible = nameFilter(patternList(include), patternList(exclude));
	const opened = await open(context, itemIndex, backend, options);
	const node = context.getNode().name;
	const key = JSON.stringify([
		node,
		opened.backend.id,
		opened.sources,
		include,
		exclude,
		base?.key,
	]);
	const origin = originOf(context.getNode());
	return { ...opened, isVisible, base, key, origin, memory: refreshMemory(context, key) };
}

/** Gives back the opened backend; with a wrong parameter an empty one that says what is wrong. */
async function open(
	context: NodeContext,
	itemIndex: number,
	backend: string,
	options: SourceOptions,
): Promise<OpenedSource> {
	try {
		return await SOURCES[backend](context, itemIndex, options);
	} catch (error) {
		if (!(error instanceof SkillError)) throw toNodeError(context, error, itemIndex);
		const message = error.hint ? `${error.message} ${error.hint}` : error.message;
		const diagnostics = [diagnostic(error.code, message)];
		return { backend: createDataBackend([]), sources: [], diagnostics };
	}
}
