const SHORTEST_WORD = 3;
const SHORTEST_STEM = 4;

const STOP_WORDS = new Set(
	(
		'about above after again all also and any are aren because been before being below between both ' +
		'but can cannot could did does doing done down during each few for from further get give had has ' +
		'have having help here hers him his how however into isn its itself just let like make many may ' +
		'might more most must need never nor not now off once one only other our out over own please same ' +
		'shall she should show skill skills some such tell than that the their them then there these they ' +
		'this those through too under until use used user uses using very want was way were what when where ' +
		'which while who whom why will with would you your asks ask work works'
	).split(' '),
);

/** The telling words of a text, each once and in a simple stem form. */
export function wordsOf(text: string): Set<string> {
	const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	const telling = words.filter((word) => word.length >= SHORTEST_WORD && !STOP_WORDS.has(word));
	return new Set(telling.map(stem));
}

/** The words that both texts have. */
export function sharedWords(left: Set<string>, right: Set<string>): string[] {
	return [...left].filter((word) => right.has(word));
}

function stem(word: string): string {
	const singular = word.replace(/(ies)$/, 'y').replace(/([^s])s$/, '$1');
	const bare = singular.replace(/(ings?|ed|ers?|ions?|ments?|e)$/, '');
	return bare.length >= SHORTEST_STEM ? bare : singular;
}
