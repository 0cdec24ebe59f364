import { z } from 'zod';

import { LenientTool } from '../../nodes/shared/lenient-tool';

const tool = new LenientTool({
	name: 'echo',
	description: 'Gives back its arguments',
	schema: z.object({ a: z.string().optional() }).passthrough(),
	func: async (input: unknown) => JSON.stringify(input),
});

it('hands an object on as it is', async () => {
	expect(await tool.invoke({ a: 'x', b: 1 })).toBe('{"a":"x","b":1}');
});

it.each([['text'], [7], [null], [['x']]])('wraps %j, which is no object', async (input) => {
	expect(await tool.invoke(input as never)).toBe(JSON.stringify({ arguments: input }));
});

it('takes a tool call of LangChain as well', async () => {
	const call = { type: 'tool_call' as const, id: '1', name: 'echo', args: { a: 'x' } };
	expect(await tool.invoke(call)).toMatchObject({ content: '{"a":"x"}', tool_call_id: '1' });
});
