import { MAX_USER_LENGTH } from '../limits';
import type { Actor, LibrarySkill } from './types';

/** Whose skills one may read beside the public ones: one user's, or everybody's. */
export interface Scope {
	user: string | null;
	isEverybody: boolean;
}

type Visibility = Pick<LibrarySkill, 'isPublic' | 'ownerId'>;

/** Tells whether a text can be the name of a user: databases cannot hold all texts. */
export function isUser(user: unknown): user is string {
	if (typeof user !== 'string' || user.length > MAX_USER_LENGTH) return false;
	// Two halves of characters would become the same sign, and their users the same user.
	return /^[^\0]+$/.test(user) && user.isWellFormed();
}

/** Gives back what an actor may read. */
export function scopeOf(actor: Actor): Scope {
	return { user: isUser(actor.user) ? actor.user : null, isEverybody: actor.isAdministrator };
}

/** Tells whether a skill may be read; `Repository` says the same in SQL. */
export function mayRead({ user, isEverybody }: Scope, skill: Visibility): boolean {
	return isEverybody || skill.isPublic || (user !== null && skill.ownerId === user);
}

/** Tells whether a skill may be changed, or made: one's own, and an administrator's any. */
export function mayWrite(
	{ user, isEverybody }: Scope,
	skill: Pick<Visibility, 'ownerId'>,
): boolean {
	return isEverybody || (user !== null && skill.ownerId === user);
}
