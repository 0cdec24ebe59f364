import { DynamicStructuredTool } from '@langchain/core/tools';

/**
 * A tool that takes anything for its arguments. LangChain throws when they are no object, which
 * would end the workflow in AI Agent 1 and 2; wrapped into one they get an answer instead.
 */
export class LenientTool extends DynamicStructuredTool {
	override async call(...[input, ...rest]: Parameters<DynamicStructuredTool['call']>) {
		const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
		return await super.call(isObject ? input : { arguments: input }, ...rest);
	}
}
