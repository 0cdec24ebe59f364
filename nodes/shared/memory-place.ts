import { isDeepStrictEqual } from 'node:util';

import type { INode } from 'n8n-workflow';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/** From these versions on, the key that n8n makes of a chat's session also names the memory node. */
const NAMED_FROM: Record<string, number> = {
	[`${LANGCHAIN}.memoryBufferWindow`]: 1.4,
	[`${LANGCHAIN}.memoryPostgresChat`]: 1.4,
	[`${LANGCHAIN}.memoryRedisChat`]: 1.6,
	[`${LANGCHAIN}.memoryMongoDbChat`]: 1.1,
	[`${LANGCHAIN}.memoryXata`]: 1.5,
};

const SESSION_KEY = '={{ $json.sessionId }}';
/** Say under which key messages are kept, or how many are read and how long they stay, but not where. */
const NOT_A_PLACE = ['sessionIdType', 'sessionKey', 'contextWindowLength', 'sessionTTL'];

/**
 * Gives back the other memory nodes that keep their messages where this one does: of the same type,
 * with the same credential, table and key, as a duplicated node.
 */
export function memoriesAtSamePlace(nodes: Record<string, INode>, name: string): string[] {
	const own = nodes[name];
	if (own === undefined) return [];
	return Object.values(nodes)
		.filter((one) => one !== own && !one.disabled && one.type === own.type)
		.filter((one) => isDeepStrictEqual(placeOf(one), placeOf(own)))
		.map((one) => one.name);
}

function placeOf(node: INode): unknown {
	const rest = Object.entries(node.parameters).filter(([name]) => !NOT_A_PLACE.includes(name));
	const credentials = Object.values(node.credentials ?? {}).map(({ id, name }) => id ?? name);
	return { key: keyOf(node), credentials, parameters: Object.fromEntries(rest) };
}

function keyOf({ name, type, typeVersion, parameters }: INode): string {
	const { sessionIdType, sessionKey = SESSION_KEY } = parameters;
	// The oldest versions have no such parameter, only a key.
	if (sessionIdType !== 'fromInput') return String(sessionKey).trim();
	const isNamed = typeVersion >= (NAMED_FROM[type] ?? 0);
	return isNamed ? `${SESSION_KEY}__${name.replace(/[^A-Za-z0-9_-]/g, '_')}` : SESSION_KEY;
}
