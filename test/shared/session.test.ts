import { picture } from '../engine/support/picture';
import { executeContext, supplyContext } from './support/contexts';

import { resolveScope } from '../../nodes/shared/session';

const SHARED = { state: 'skills', session: '' };

describe.each([
	['an execution', executeContext],
	['a supply', supplyContext],
])('resolveScope in %s', (_, contextOf) => {
	const flow = picture();
	const scopeOf = (options: object, items: object[] = [{}], index = 0) =>
		resolveScope(contextOf(flow, { node: 'Loader', items: items as never }), index, options);

	it('takes the session given, trimmed', () => {
		expect(scopeOf({ session: ' anna ' }, [{ sessionId: 'item' }]).session).toBe('session:anna');
	});

	it.each([
		[7, 'session:7'],
		[0, 'session:0'],
		[12n, 'session:12'],
	])('takes the number %p', (session, expected) => {
		expect(scopeOf({ session }).session).toBe(expected);
	});

	it.each([[undefined], [null], [''], ['  '], [{ id: 1 }], [['x']], [true]])(
		'takes %j for no session',
		(session) => {
			expect(scopeOf({ session })).toEqual(SHARED);
		},
	);

	it("takes the item's session when none is given", () => {
		const items = [{ sessionId: 'one' }, { sessionId: 2 }];
		expect(scopeOf({}, items, 0).session).toBe('session:one');
		expect(scopeOf({}, items, 1).session).toBe('session:2');
	});

	it('stores a long state name as its hash', () => {
		const { state } = scopeOf({ stateName: 'x'.repeat(300_000) });
		expect(state).toMatch(/^sha256:[0-9a-f]{64}$/);
	});

	it('shares one state when there is no session', () => {
		expect(scopeOf({})).toEqual(SHARED);
	});

	it('gives each execution its own when told to', () => {
		expect(scopeOf({ noSession: 'execution' }).session).toBe('execution:exec-1');
		expect(scopeOf({ noSession: 'execution', session: 'x' }).session).toBe('session:x');
	});

	it('has no session without any item, as in a tool of an MCP server', () => {
		expect(scopeOf({}, [])).toEqual(SHARED);
	});

	it('stores a long session as its hash', () => {
		const { session } = scopeOf({ session: 'x'.repeat(500) });
		expect(session).toMatch(/^sha256:[0-9a-f]{64}$/);
	});

	it.each([
		[undefined, 'skills'],
		['', 'skills'],
		[' researcher ', 'researcher'],
	])('takes the state name %j for %j', (stateName, expected) => {
		expect(scopeOf({ stateName }).state).toBe(expected);
	});

	it.each(['Chat', 'A "quoted" \\ name', "Anna's chat", 'With {{ $json }} in it', 'End }}'])(
		'takes the session of the Chat Trigger named %j',
		(trigger) => {
			const chat = picture({ trigger });
			const situation = { node: 'Loader', triggered: [{ sessionId: 'chat' }] };
			expect(resolveScope(contextOf(chat, situation), 0, {}).session).toBe('session:chat');
		},
	);

	it('shares one state when the Chat Trigger did not start the execution', () => {
		const chat = picture({ trigger: 'Chat' });
		const situation = { node: 'Loader', triggered: null };
		expect(resolveScope(contextOf(chat, situation), 0, {})).toEqual(SHARED);
	});
});
