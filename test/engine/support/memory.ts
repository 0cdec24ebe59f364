import { InMemoryChatMessageHistory } from '@langchain/core/chat_history';
import { NodeConnectionTypes, type INodeType } from 'n8n-workflow';

/** The conversations of all memory nodes by their key; as a database, they outlive n8n. */
export const chats = new Map<string, InMemoryChatMessageHistory>();

/** Gives back the conversation of a key. */
export function chatOf(key: string): InMemoryChatMessageHistory {
	const chat = chats.get(key) ?? new InMemoryChatMessageHistory();
	chats.set(key, chat);
	return chat;
}

const never = async () => await new Promise<never>(() => undefined);
const refused = async () => {
	// As the Postgres driver does: no message, only a code.
	throw Object.assign(new Error(''), { code: 'ECONNREFUSED' });
};

/** A chat memory node, over a history of LangChain; it can be down in the ways of the real ones. */
export const memory: INodeType = {
	description: {
		displayName: 'Memory',
		name: 'memory',
		group: ['transform'],
		version: 1,
		description: 'Chat memory',
		defaults: { name: 'Memory' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiMemory],
		properties: [
			{ displayName: 'Key', name: 'key', type: 'string', default: 'key' },
			{ displayName: 'Down', name: 'down', type: 'string', default: '' },
		],
	},
	async supplyData(itemIndex) {
		const chat = chatOf(this.getNodeParameter('key', itemIndex) as string);
		const down = this.getNodeParameter('down', itemIndex, '') as string;
		if (down === 'node') throw new Error('No session ID found');
		if (down === 'refused') return { response: { chatHistory: { getMessages: refused } } };
		if (down === 'silent') return { response: { chatHistory: { getMessages: never } } };
		if (down === 'writes') {
			const getMessages = async () => await chat.getMessages();
			return { response: { chatHistory: { getMessages, addUserMessage: refused } } };
		}
		return { response: { chatHistory: chat } };
	},
};
