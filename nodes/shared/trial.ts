import type { IRunExecutionData, WorkflowExecuteMode } from 'n8n-workflow';

import type { NodeContext } from './context';

/** What of a context we read besides its public methods. */
interface Internals {
	additionalData?: { rootExecutionMode?: WorkflowExecuteMode };
	runExecutionData?: IRunExecutionData;
}

/**
 * Tells whether a person tries the workflow in the editor. A sub-workflow has a mode of its own
 * ("integrated"), whoever calls it; n8n notes how the whole began, or else who called.
 */
export function isTestRun(context: NodeContext): boolean {
	const { additionalData, runExecutionData } = context as unknown as Internals;
	const caller = runExecutionData?.parentExecution?.executionContext?.source;
	return [context.getMode(), additionalData?.rootExecutionMode, caller].includes('manual');
}
