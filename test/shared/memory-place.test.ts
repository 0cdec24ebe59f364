import type { INode } from 'n8n-workflow';

import { memoriesAtSamePlace } from '../../nodes/shared/memory-place';

const POSTGRES = '@n8n/n8n-nodes-langchain.memoryPostgresChat';

const memory = (more: Partial<INode> = {}): INode => ({
	id: 'id',
	name: 'State',
	type: POSTGRES,
	typeVersion: 1.4,
	position: [0, 0],
	parameters: { sessionIdType: 'customKey', sessionKey: 'key', tableName: 'messages' },
	credentials: { postgres: { id: 'c1', name: 'DB' } },
	...more,
});
const twinsOf = (own: INode, other: INode) =>
	memoriesAtSamePlace({ [own.name]: own, [other.name]: other }, own.name);
const other = (more: Partial<INode> = {}) => memory({ name: 'State1', ...more });
const chat = { sessionIdType: 'fromInput', tableName: 'messages' };

describe('another memory node is at the same place', () => {
	it.each<[string, INode, INode]>([
		['when it is a copy', memory(), other()],
		[
			'when it only reads more messages',
			memory(),
			other({ parameters: { ...memory().parameters, contextWindowLength: 9 } }),
		],
		[
			'when both take the key of the chat, in versions that do not name the node in it',
			memory({ typeVersion: 1.3, parameters: chat }),
			other({ typeVersion: 1.3, parameters: chat }),
		],
		[
			'when one takes the key of the chat and the other writes it out',
			memory({ typeVersion: 1.3, parameters: chat }),
			other({ parameters: { ...memory().parameters, sessionKey: '={{ $json.sessionId }} ' } }),
		],
	])('%s', (_, own, twin) => {
		expect(twinsOf(own, twin)).toEqual(['State1']);
	});
});

describe('another memory node is elsewhere', () => {
	it.each<[string, INode, INode]>([
		[
			'with another key',
			memory(),
			other({ parameters: { ...memory().parameters, sessionKey: 'x' } }),
		],
		[
			'with another table',
			memory(),
			other({ parameters: { ...memory().parameters, tableName: 'x' } }),
		],
		[
			'with another credential',
			memory(),
			other({ credentials: { postgres: { id: 'c2', name: 'DB' } } }),
		],
		['of another type', memory(), other({ type: 'other' })],
		['that is disabled', memory(), other({ disabled: true })],
		['whose name is part of its key', memory({ parameters: chat }), other({ parameters: chat })],
	])('%s', (_, own, twin) => {
		expect(twinsOf(own, twin)).toEqual([]);
	});

	it('when there is no such node at all', () => {
		expect(memoriesAtSamePlace({}, 'State')).toEqual([]);
	});
});
