import { LIBRARY_CHANGES_PER_READ } from '../limits';
import { wordsOf } from '../search';
import { normalizeName } from '../validate';
import { mayRead, type Scope } from './access';
import { checkedNumber, tagKey } from './checks';
import { filterOf } from './query';
import type { Filter, LoggedChange, Reader } from './repository';
import type { ChangePage, LibraryChange, LibrarySkill, SkillQuery } from './types';

/** Gives back the changes after a number as one actor sees them. */
export async function changesFor(
	records: Reader,
	scope: Scope,
	after: number,
	query: SkillQuery = {},
	limit = LIBRARY_CHANGES_PER_READ,
): Promise<ChangePage> {
	checkedNumber(limit, 'limit', 1);
	const from = checkedNumber(after, 'sequence number', 0);
	const filter = filterOf(query);
	const last = await records.stamp();
	// When the number is of another database, what it missed is not known.
	let isIncomplete = from > last;
	let at = Math.min(from, last);
	const changes: LibraryChange[] = [];
	while (filter !== null && changes.length < limit) {
		const logged = await records.changes(at, LIBRARY_CHANGES_PER_READ);
		const next = logged.length > 0 ? logged[0].sequence : last + 1;
		// Numbers have no gaps, so what is not in the log any more was there.
		const isCut = next > at + 1;
		const missed = isCut ? await records.missed(at, next) : [];
		isIncomplete ||= isCut;
		for (const change of [...missed, ...logged]) {
			if (changes.length === limit) break;
			at = change.sequence;
			const seen = seenBy(scope, filter, change);
			if (seen !== null) changes.push(seen);
		}
		if (logged.length < LIBRARY_CHANGES_PER_READ) break;
	}
	return { changes, last: filter === null ? last : at, isIncomplete };
}

/** Gives back a change as it looks to one who watched the skill before, after it, or both. */
function seenBy(scope: Scope, filter: Filter, logged: LoggedChange): LibraryChange | null {
	const { before, ...change } = logged;
	const { changedSince, ...kind } = filter;
	if (changedSince !== undefined && change.skill.updatedAt < changedSince) return null;
	const sees = (skill: LibrarySkill) => mayRead(scope, skill) && fits(kind, scope, skill);
	const isSeen = sees(change.skill);
	const wasSeen = change.event !== 'created' && sees(before ?? change.skill);
	if (change.event === 'deleted') return isSeen ? change : null;
	if (isSeen) return wasSeen ? change : { ...change, event: 'created' };
	// As it was: what it became may no longer be for these eyes.
	return wasSeen && before ? { ...change, event: 'deleted', skill: before } : null;
}

/** Says in code what the records say in SQL, of a skill that may be gone; its text is not looked at. */
function fits(filter: Filter, scope: Scope, skill: LibrarySkill): boolean {
	const { words, tagKeys = [], ownerId, visibility, ownOnly, nameKeys } = filter;
	const keys = new Set(skill.tags.map(tagKey));
	return (
		tagKeys.every((tag) => keys.has(tag)) &&
		(ownerId === undefined || ownerId === skill.ownerId) &&
		(visibility === undefined || visibility === visibilityOf(skill)) &&
		(!ownOnly || skill.ownerId === null || skill.ownerId === scope.user) &&
		(nameKeys === undefined || nameKeys.includes(normalizeName(skill.name))) &&
		(words === undefined || hasWords(words, skill))
	);
}

function visibilityOf({ ownerId, isPublic }: LibrarySkill): 'private' | 'public' | 'system' {
	if (ownerId === null) return 'system';
	return isPublic ? 'public' : 'private';
}

function hasWords(words: string[], { name, description, tags }: LibrarySkill): boolean {
	const known = wordsOf([name, description, ...tags].join(' '));
	return words.every((word) => known.some((one) => one.startsWith(word)));
}
