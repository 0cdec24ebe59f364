import { picture } from '../engine/support/picture';
import { executeContext } from './support/contexts';

import { bareToolName, toolCallOf } from '../../nodes/shared/tool-call';

describe('bareToolName', () => {
	it.each([
		['load_skill', 'load_skill'],
		['unload_skill', 'unload_skill'],
		['team_load_skill', 'load_skill'],
		['team_unload_skill', 'unload_skill'],
		['x-read_skill_file', 'read_skill_file'],
		['search_skills', 'search_skills'],
		['search_skills_x', null],
		['', null],
		[undefined, null],
		[{}, null],
	])('%j means %j', (name, expected) => {
		expect(bareToolName(name)).toBe(expected);
	});
});

describe('toolCallOf', () => {
	const flow = picture();

	it("takes the model's arguments, not the item's fields", () => {
		const context = executeContext(flow, {
			node: 'Loader',
			items: [{ tool: 'load_skill', skill_name: 'merged', limit: 5, toolCallId: 'id' }],
			toolCall: { tool: 'team_search_skills', query: 'x' },
		});
		expect(toolCallOf(context)).toEqual({
			tool: 'search_skills',
			prefix: 'team_',
			arguments: { query: 'x' },
		});
	});

	it('keeps a toolCallId that the model sent, so that it is refused', () => {
		const toolCall = { tool: 'load_skill', skill_name: 'x', toolCallId: 'mine' };
		const context = executeContext(flow, { node: 'Loader', toolCall });
		expect(toolCallOf(context)?.arguments).toHaveProperty('toolCallId', 'mine');
	});

	it("falls back to the item when the engine noted no arguments, without n8n's own field", () => {
		const items = [{ tool: 'load_skill', skill_name: 'x', toolCallId: 'id' }];
		const context = executeContext(flow, { node: 'Loader', items });
		expect(toolCallOf(context)).toEqual({
			tool: 'load_skill',
			prefix: '',
			arguments: { skill_name: 'x' },
		});
	});

	it.each([[[{}]], [[]], [[{ tool: 'other' }]], [[{ tool: 5 }]]])(
		'is null for items %j, which are no call',
		(items) => {
			expect(
				toolCallOf(executeContext(flow, { node: 'Loader', items: items as never })),
			).toBeNull();
		},
	);
});
