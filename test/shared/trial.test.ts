import type { WorkflowExecuteMode } from 'n8n-workflow';

import type { NodeContext } from '../../nodes/shared/context';
import { isTestRun } from '../../nodes/shared/trial';

const contextOf = (
	mode: WorkflowExecuteMode,
	root?: WorkflowExecuteMode,
	caller?: WorkflowExecuteMode,
) =>
	({
		getMode: () => mode,
		additionalData: { rootExecutionMode: root },
		runExecutionData: { parentExecution: { executionContext: { source: caller } } },
	}) as unknown as NodeContext;

it.each<[boolean, string, NodeContext]>([
	[true, 'a run in the editor', contextOf('manual')],
	[true, 'a sub-workflow, however deep, of one', contextOf('integrated', 'manual')],
	[true, 'a sub-workflow as a tool of one', contextOf('integrated', undefined, 'manual')],
	[false, 'a production run', contextOf('webhook')],
	[false, 'a sub-workflow of production', contextOf('integrated', 'webhook', 'webhook')],
])('%s: a test run is %s', (expected, _, context) => {
	expect(isTestRun(context)).toBe(expected);
});
