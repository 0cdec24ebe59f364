import { chooseSkill, readCatalog } from './catalog';
import type { Choice, Offer } from './catalog';
import { quote } from './quote';
import { plainResult, systemText, textOf } from './wire';
import type { ChatRequest, Message, ToolCall, Turn } from './wire';
import { sharedWords, wordsOf } from './words';

const NOTE =
	'_I am the stand-in model of this demo: no intelligence, only word matching. The skill, its ' +
	'instructions and the tool calls above are real. Start the demo with `OPENAI_API_KEY` set and a ' +
	'real model follows them._';

// A reference is written to be read; a script is worth it only when the message is about it.
const TYPE_WEIGHT: Record<string, number> = { reference: 1.5 };

interface Done {
	name: string;
	args: Record<string, unknown>;
	result: string;
}

/** The next turn of the demo's stand-in: load the fitting skill, read a file of it, quote both. */
export function standInTurn(request: ChatRequest): Turn {
	const start = request.messages.map(({ role }) => role).lastIndexOf('user');
	const message = textOf(request.messages[start]);
	const done = callsSince(request.messages.slice(start + 1));
	const offers = readCatalog(request);
	if (/\bunload\b/iu.test(message)) return unloadTurn(message, offers, done);
	const choice = chooseSkill(message, offers);
	if (choice === null) return say(listOf(offers));
	const loaded = instructionsOf(choice.offer.name, request, done);
	if (loaded === null) {
		const attempt = done.find(({ name }) => name === 'load_skill');
		if (attempt !== undefined) return say(`\`load_skill\` answered:\n\n${quote(attempt.result)}`);
		return call('load_skill', { skill_name: choice.offer.name });
	}
	const read = done.find(({ name }) => name === 'read_skill_file');
	const file = read === undefined ? fittingFile(message, loaded) : null;
	if (file !== null) {
		return call('read_skill_file', { skill_name: choice.offer.name, paths: [file] });
	}
	return say(report(message, choice, loaded, read));
}

function unloadTurn(message: string, offers: Offer[], done: Done[]): Turn {
	const attempt = done.find(({ name }) => name === 'unload_skill');
	if (attempt !== undefined) return say(`\`unload_skill\` answered:\n\n${quote(attempt.result)}`);
	const named = offers.find(({ name }) => message.toLowerCase().includes(name.toLowerCase()));
	const loaded = offers.filter((offer) => offer.loaded);
	const target = named ?? chooseSkill(message, loaded)?.offer ?? loaded[0];
	if (target === undefined) return say('No skill is loaded, so there is nothing to unload.');
	return call('unload_skill', { skill_name: target.name });
}

function callsSince(messages: Message[]): Done[] {
	const results = new Map(messages.map((message) => [message.tool_call_id, textOf(message)]));
	return messages
		.flatMap((message) => message.tool_calls ?? [])
		.map((made) => ({
			name: made.function.name,
			args: JSON.parse(made.function.arguments) as Record<string, unknown>,
			result: results.get(made.id) ?? '',
		}));
}

function instructionsOf(name: string, request: ChatRequest, done: Done[]): string | null {
	// The prompt delivers the instructions again when an earlier message loaded the skill.
	const texts = [...done.map(({ result }) => plainResult(result)), systemText(request)];
	const opening = `<skill_content name="${name}"`;
	const text = texts.find((candidate) => candidate.includes(opening));
	return text === undefined ? null : text.slice(text.indexOf(opening));
}

function fittingFile(message: string, loaded: string): string | null {
	const asked = wordsOf(message);
	const files = [...loaded.matchAll(/^- \[(\w+)\] `([^`\n]+)`/gmu)].map(([, type, path]) => ({
		path,
		score: sharedWords(asked, wordsOf(path)).length + (TYPE_WEIGHT[type] ?? 0),
	}));
	const [best] = files.sort((left, right) => right.score - left.score);
	return best !== undefined && best.score > 0 ? best.path : null;
}

function report(message: string, choice: Choice, loaded: string, read: Done | undefined): string {
	const body = loaded.replace(/^<skill_content[^>]*>/u, '').split('</skill_content>')[0];
	const parts = [
		`I chose the skill **${choice.offer.name}**: your message and its description share ` +
			`${namedWords(message, choice.shared)}. From its instructions:`,
		quote(body, message),
	];
	if (read !== undefined) {
		const paths = [read.args.paths].flat().map((path) => `\`${String(path)}\``);
		const text = plainResult(read.result).replaceAll(/^<\/?skill_content[^>]*>\n?/gmu, '');
		parts.push(`And from ${paths.join(', ')}:`, quote(text, message));
	}
	return [...parts, NOTE].join('\n\n');
}

function namedWords(message: string, shared: string[]): string {
	const words = message.match(/[\p{L}\p{N}]+/gu) ?? [];
	const named = words.filter((word) => sharedWords(wordsOf(word), new Set(shared)).length > 0);
	return [...new Set(named)].map((word) => `"${word}"`).join(', ');
}

function listOf(offers: Offer[]): string {
	if (offers.length === 0) return `No skills are on offer: the catalog that I was given is empty.`;
	const lines = offers.map(({ name, description, loaded }) => {
		return `- **${name}**${loaded ? ' (loaded)' : ''}: ${description}`;
	});
	return `None of my skills fits that message by its words. These are on offer:\n\n${lines.join('\n')}`;
}

function say(text: string): Turn {
	return { text: text.includes(NOTE) ? text : `${text}\n\n${NOTE}` };
}

function call(name: string, args: ToolCall['args']): Turn {
	return { calls: [{ name, args }] };
}
