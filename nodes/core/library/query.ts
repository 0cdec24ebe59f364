import {
	MAX_QUERY_LENGTH,
	MAX_SEARCH_WORDS,
	MAX_WORD_LENGTH,
	SEARCHED_TEXT_LENGTH,
} from '../limits';
import { wordsOf } from '../search';
import { normalizeName } from '../validate';
import { isUser } from './access';
import { checkedNumber, checkedTime, invalid, tagKey } from './checks';
import type { Filter, Lookup } from './repository';
import type { LibrarySkill, SkillQuery, SkillRef } from './types';

/** Some of them may be gone when the next page is asked for; all of them hardly. */
const IDS_IN_CURSOR = 10;

/** Gives back which skill is meant as the records know it, or null if it can be none. */
export function lookupOf(ref: SkillRef): Lookup | null {
	if ('id' in ref) return storable(ref.id) ? { id: ref.id } : null;
	if (!storable(ref.name)) return null;
	const nameKey = normalizeName(ref.name);
	if (nameKey === '' || ref.ownerId === undefined) return nameKey === '' ? null : { nameKey };
	return ref.ownerId === null || isUser(ref.ownerId) ? { nameKey, ownerId: ref.ownerId } : null;
}

/** Gives back a query as the records know it, or null if no skill can fit. */
export function filterOf(query: SkillQuery): Filter | null {
	const { text, tags, ownerId, visibility, ownOnly, names, changedSince, limit, cursor } = query;
	const filter: Filter = { visibility, ownOnly };
	if (text !== undefined && text.trim() !== '') {
		filter.words = searchedWords(text);
		if (filter.words.length === 0) return null;
	}
	if (tags !== undefined) filter.tagKeys = tags.map((tag) => tagKey(String(tag)));
	if (names !== undefined) {
		filter.nameKeys = names.map((name) => normalizeName(String(name))).filter(storable);
	}
	if (ownerId !== undefined) filter.ownerId = ownerId;
	if (ownerId !== undefined && ownerId !== null && !isUser(ownerId)) return null;
	if (filter.tagKeys?.every(storable) === false) return null;
	if (changedSince !== undefined) filter.changedSince = checkedTime(changedSince);
	if (limit !== undefined) filter.limit = checkedNumber(limit, 'limit', 1);
	return cursor === undefined ? filter : { ...filter, ...placeOf(cursor, filter) };
}

/** Gives back where the page after this one starts. */
export function cursorAfter(filter: Filter, page: LibrarySkill[]): string {
	const last = page[page.length - 1];
	const place =
		filter.words === undefined
			? [normalizeName(last.name), last.id]
			: [(filter.offset ?? 0) + page.length, ...page.slice(-IDS_IN_CURSOR).map(({ id }) => id)];
	return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function placeOf(cursor: string, filter: Filter): Pick<Filter, 'after' | 'offset' | 'behind'> {
	try {
		const place = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
		const [nameKey, id, ...more] = place;
		if (filter.words !== undefined) {
			const behind = [id, ...more].filter(storable).slice(-IDS_IN_CURSOR);
			return { offset: checkedNumber(nameKey, 'place', 0), behind };
		}
		if (storable(nameKey) && storable(id)) return { after: { nameKey, id } };
	} catch {
		// What is no cursor is refused below.
	}
	throw invalid('The cursor is not one that this search gave.', 'Start again without a cursor.');
}

/** Gives back the words of a search as both databases compare them. */
export function searchedWords(text: string): string[] {
	const words = wordsOf(text.slice(0, MAX_QUERY_LENGTH)).map(shortened);
	return [...new Set(words)].slice(0, MAX_SEARCH_WORDS);
}

/** Gives back the words of a text in which is searched. */
export function indexedWords(text: string): string[] {
	return wordsOf(text.slice(0, SEARCHED_TEXT_LENGTH)).map(shortened);
}

function shortened(word: string): string {
	return word.length <= MAX_WORD_LENGTH ? word : [...word].slice(0, MAX_WORD_LENGTH).join('');
}

/** Tells whether both databases can compare with a value. */
function storable(value: unknown): value is string {
	return typeof value === 'string' && !value.includes('\0') && value.isWellFormed();
}
