import type { IDataObject } from 'n8n-workflow';

import { restoreAgentItem, waitingCall } from '../../nodes/shared/agent-item';
import type { NodeContext } from '../../nodes/shared/context';

const ITEM = { query: { user: 'anna' }, sessionId: 'one' };
const SENT = { tool: 'search_skills', query: 'boris' };

/** An agent that waits in the engine's stack for calls of one node. */
const agentWaiting = (name: string, items: IDataObject[], node: string, runIndex = 0) => ({
	node: { name },
	runIndex: 0,
	data: { main: [items.map((json) => ({ json }))] },
	metadata: {
		subNodeExecutionData: {
			metadata: {},
			actions: items.map((_, itemIndex) => ({
				action: { id: 'same-for-all', metadata: { itemIndex } },
				nodeName: node,
				runIndex: runIndex + itemIndex,
			})),
		},
	},
});
const calledWith = (sent: IDataObject) => [{ inputOverride: { ai_tool: [[{ json: sent }]] } }];

interface Parts {
	json?: IDataObject;
	stack?: unknown[];
	runData?: Record<string, unknown>;
	runIndex?: number;
	parentNode?: { name: string };
}

/** Gives back the fields that an expression sees after the agent's item was put back. */
function restored({ json = {}, stack = [], runData = {}, runIndex = 0, parentNode }: Parts) {
	const items = [{ json, pairedItem: { item: 3 } }];
	const context = {
		getNode: () => ({ name: 'Loader' }),
		connectionInputData: items,
		inputData: { main: [items] },
		runExecutionData: { executionData: { nodeExecutionStack: stack }, resultData: { runData } },
		runIndex,
		parentNode,
	};
	restoreAgentItem(context as unknown as NodeContext);
	expect(context.connectionInputData).toEqual(context.inputData.main[0]);
	expect(context.connectionInputData[0].pairedItem).toEqual({ item: 3 });
	return context.connectionInputData[0].json;
}

const merged = { ...ITEM, ...SENT, toolCallId: 'id' };

describe('the item of a tool call', () => {
	it("is the waiting agent's own again", () => {
		const stack = [agentWaiting('Agent', [ITEM], 'Loader')];
		expect(restored({ json: merged, stack, runData: { Loader: calledWith(SENT) } })).toEqual(ITEM);
	});

	it('is found by the run, as services give two calls the same id', () => {
		const stack = [agentWaiting('Agent', [{ mine: 1 }, { mine: 2 }], 'Loader')];
		expect(restored({ json: merged, stack, runIndex: 1 })).toEqual({ mine: 2 });
	});

	it('loses what an argument covers where no agent waits', () => {
		const runData = { Loader: calledWith(SENT) };
		expect(restored({ json: merged, runData })).toEqual({ sessionId: 'one' });
	});

	it('is empty where nobody knows what the model sent', () => {
		expect(restored({ json: merged })).toEqual({});
	});

	it('is that of the outermost agent when a sub-agent calls', () => {
		const stack = [
			agentWaiting('SubAgent', [{ ...ITEM, sessionId: 'victim', toolCallId: 'id' }], 'Loader'),
			agentWaiting('Agent', [ITEM], 'SubAgent'),
		];
		const runData = { SubAgent: calledWith({ sessionId: 'victim' }), Loader: calledWith(SENT) };
		expect(restored({ json: merged, stack, runData })).toEqual(ITEM);
	});
});

describe('the item of an agent that asks for its tools', () => {
	const parentNode = { name: 'SubAgent' };

	it('is restored when it was itself called by a model', () => {
		const stack = [agentWaiting('Agent', [ITEM], 'SubAgent')];
		const runData = { SubAgent: calledWith({ sessionId: 'victim' }) };
		const json = { ...ITEM, sessionId: 'victim', toolCallId: 'id' };
		expect(restored({ json, stack, runData, parentNode })).toEqual(ITEM);
	});

	it.each<[string, IDataObject, Record<string, unknown>]>([
		['it was not called', { ...ITEM, toolCallId: 'own' }, {}],
		['nothing was merged', ITEM, { SubAgent: calledWith(SENT) }],
	])('stays as it is when %s', (_, json, runData) => {
		expect(restored({ json, runData, parentNode })).toEqual(json);
	});
});

it('a context without items is left alone', () => {
	const context = { getNode: () => ({ name: 'Loader' }), connectionInputData: [] };
	restoreAgentItem(context as unknown as NodeContext);
	expect(context.connectionInputData).toEqual([]);
	expect(waitingCall({}, 'Loader')).toBeUndefined();
});
