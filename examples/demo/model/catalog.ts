import { sharedWords, wordsOf } from './words';
import { systemText } from './wire';
import type { ChatRequest } from './wire';

// A skill's own name says more than a word somewhere in its description.
const NAME_WEIGHT = 2;
const WORTH_LOADING = 2;

/** A skill as the model sees it before it is loaded. */
export interface Offer {
	name: string;
	description: string;
	loaded: boolean;
}

/** The skill that fits a message best, and the words they share. */
export interface Choice {
	offer: Offer;
	shared: string[];
}

/** The skills on offer: from the catalog in the prompt, else from the names the tool accepts. */
export function readCatalog(request: ChatRequest): Offer[] {
	const lines = systemText(request).matchAll(/^\s*-\s+\*\*([^*\n]+)\*\*([^:\n]*):\s*(.*)$/gmu);
	const listed = [...lines].map(([, name, mark, description]) => ({
		name: name.trim(),
		description: description.trim(),
		loaded: mark.includes('[Loaded]') || description.includes('[Loaded]'),
	}));
	const names = acceptedNames(request);
	const known = listed.filter(({ name }) => names.length === 0 || names.includes(name));
	if (known.length > 0) return known;
	return names.map((name) => ({ name, description: '', loaded: false }));
}

/** The offer whose name and description fit the message best, or null when none does. */
export function chooseSkill(message: string, offers: Offer[]): Choice | null {
	const asked = wordsOf(message);
	const weigh = (offer: Offer) => {
		const named = sharedWords(asked, wordsOf(offer.name));
		const described = sharedWords(asked, wordsOf(offer.description));
		const shared = [...new Set([...named, ...described])];
		return { offer, shared, score: shared.length + named.length * (NAME_WEIGHT - 1) };
	};
	const [best] = offers.map(weigh).sort((left, right) => right.score - left.score);
	return best !== undefined && best.score >= WORTH_LOADING ? best : null;
}

function acceptedNames(request: ChatRequest): string[] {
	const tool = request.tools?.find((candidate) => candidate.function.name === 'load_skill');
	const properties = tool?.function.parameters?.properties as
		| Record<string, { enum?: string[] }>
		| undefined;
	return properties?.skill_name?.enum ?? [];
}
