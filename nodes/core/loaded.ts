import { createHash } from 'node:crypto';

import {
	MAX_SESSION_KEY_LENGTH,
	MAX_SESSIONS,
	MAX_STATE_BYTES,
	SESSION_IDLE_MS,
	SESSION_TOUCH_MS,
} from './limits';
import {
	loadedSkillSchema,
	sessionSchema,
	STATE_VERSION,
	type LoadedSkill,
	type SessionState,
	type StoredState,
} from './schema';

/** Whose state is meant: one agent (state name) in one conversation (session). */
export interface Scope {
	state: string;
	session: string;
}

/** What became of a wish to load. `previous` is what was recorded before. */
export interface Recorded {
	outcome: 'new' | 'renewed' | 'already' | 'full';
	previous?: LoadedSkill;
	loaded: LoadedSkill[];
}

/**
 * The loaded skills of one scope. This is the only way to the state: a store that several
 * processes share is one more implementation of it.
 */
export interface LoadedStore {
	read(): Promise<LoadedSkill[]>;
	/** Checks the budget and takes the slot in one step. */
	record(skill: LoadedSkill, maxLoaded: number): Promise<Recorded>;
	forget(name: string): Promise<boolean>;
}

/** All sessions of a workflow by their key. */
export type Sessions = Map<string, SessionState>;

/** Gives back the key of a scope. */
export function scopeKey({ state, session }: Scope): string {
	return JSON.stringify([state, session]);
}

/** Gives back a session's name in a length that can be stored. */
export function shortSession(session: string): string {
	if (session.length <= MAX_SESSION_KEY_LENGTH) return session;
	return `sha256:${createHash('sha256').update(session).digest('hex')}`;
}

/** Gives back the sessions of stored data; what is damaged is left out and counted. */
export function parseState(stored: unknown): { sessions: Sessions; dropped: number } {
	const sessions: Sessions = new Map();
	if (stored === undefined || stored === null) return { sessions, dropped: 0 };
	const list = (stored as Partial<StoredState>).sessions;
	if (typeof stored !== 'object' || !Array.isArray(list)) return { sessions, dropped: 1 };
	let dropped = (stored as Partial<StoredState>).version === STATE_VERSION ? 0 : 1;
	for (const one of list as unknown[]) {
		const repaired = repairSession(one);
		dropped += repaired.dropped;
		if (repaired.session) sessions.set(scopeKey(repaired.session), repaired.session);
	}
	return { sessions, dropped };
}

function repairSession(value: unknown): { session?: SessionState; dropped: number } {
	const whole = sessionSchema.safeParse(value);
	if (whole.success) return { session: whole.data, dropped: 0 };
	const loaded = (value as Partial<SessionState> | null)?.loaded;
	if (!Array.isArray(loaded)) return { dropped: 1 };
	const good = loaded.flatMap((one) => loadedSkillSchema.safeParse(one).data ?? []);
	const rest = sessionSchema.safeParse({ ...(value as object), loaded: good });
	if (!rest.success) return { dropped: 1 };
	return { session: rest.data, dropped: Math.max(loaded.length - good.length, 1) };
}

/** Takes over every stored session that is newer than the one at hand. */
export function mergeSessions(live: Sessions, stored: Sessions): void {
	for (const [key, session] of stored) {
		const own = live.get(key);
		if (own === undefined || own.touched < session.touched) live.set(key, session);
	}
}

/** Gives back the sessions as plain data within all limits; what is too old is dropped. */
export function serializeState(live: Sessions, now: number): StoredState {
	prune(live, now);
	const sessions = [...live.values()].map((session) => structuredClone(session));
	return { version: STATE_VERSION, sessions };
}

const EMPTY_STATE_BYTES = JSON.stringify({ version: STATE_VERSION, sessions: [] }).length;

// A session is never changed, only replaced, so that each is measured once however many there are.
const sizes = new WeakMap<SessionState, number>();

function sizeOf(session: SessionState): number {
	const size = sizes.get(session) ?? Buffer.byteLength(JSON.stringify(session)) + 1;
	sizes.set(session, size);
	return size;
}

/** Takes the lists of files, which the next delivery brings back, from sessions that are large. */
function slim(live: Sessions): void {
	const bytes = [...live.values()].reduce((sum, one) => sum + sizeOf(one), EMPTY_STATE_BYTES);
	if (bytes <= MAX_STATE_BYTES) return;
	for (const [key, session] of live) {
		if (sizeOf(session) * live.size > MAX_STATE_BYTES) live.set(key, withoutFiles(session));
	}
}

function withoutFiles(session: SessionState): SessionState {
	return { ...session, loaded: session.loaded.map((skill) => ({ ...skill, resources: [] })) };
}

function prune(live: Sessions, now: number): void {
	slim(live);
	const oldestFirst = [...live].sort(([, a], [, b]) => a.touched - b.touched);
	let bytes = oldestFirst.reduce((sum, [, one]) => sum + sizeOf(one), EMPTY_STATE_BYTES);
	for (const [key, session] of oldestFirst) {
		const isIdle = now - session.touched > SESSION_IDLE_MS;
		const isTooMuch = live.size > MAX_SESSIONS || bytes > MAX_STATE_BYTES;
		if (isTooMuch && live.size === 1) live.set(key, shrink(session));
		else if (isIdle || isTooMuch) {
			live.delete(key);
			bytes -= sizeOf(session);
		}
	}
}

/** Gives back one huge session in a size that can be stored: without files, newest skills only. */
function shrink(session: SessionState): SessionState {
	const { loaded } = withoutFiles(session);
	const size = () => Buffer.byteLength(JSON.stringify(loaded));
	while (size() > MAX_STATE_BYTES / 2) loaded.splice(0, Math.ceil(loaded.length / 2));
	return { ...session, loaded };
}

/**
 * Gives back the store of one scope over sessions in memory. Each method does its work without an
 * await, so two tool calls of one turn cannot take the same slot. `save` runs after every change.
 */
export function createLoadedStore(
	live: Sessions,
	scope: Scope,
	save: () => void,
	now: () => number = Date.now,
): LoadedStore {
	const key = scopeKey(scope);
	const touch = (loaded: LoadedSkill[]) => {
		live.set(key, { ...scope, touched: now(), loaded });
		save();
	};
	return {
		async read() {
			const session = live.get(key);
			if (session === undefined) return [];
			if (session.loaded.length > 0 && now() - session.touched > SESSION_TOUCH_MS) {
				touch(session.loaded);
			}
			return [...session.loaded];
		},

		async record(skill, maxLoaded) {
			const taken = takeSlot(live.get(key)?.loaded ?? [], skill, maxLoaded);
			if (taken.outcome === 'new' || taken.outcome === 'renewed') touch(taken.loaded);
			return taken;
		},

		async forget(name) {
			const loaded = live.get(key)?.loaded ?? [];
			const rest = loaded.filter((one) => one.name !== name);
			if (rest.length === loaded.length) return false;
			touch(rest);
			return true;
		},
	};
}

/** Gives back what becomes of a wish to load, and the list as it is then. */
export function takeSlot(loaded: LoadedSkill[], skill: LoadedSkill, maxLoaded: number): Recorded {
	const previous = loaded.find((one) => one.name === skill.name);
	const slots = loaded.filter((one) => !one.pinned);
	const needsSlot = !skill.pinned && !slots.includes(previous as LoadedSkill);
	if (needsSlot && slots.length >= maxLoaded) return { outcome: 'full', loaded };
	if (previous === undefined) return { outcome: 'new', loaded: [...loaded, skill] };
	if (isSameDelivery(previous, skill)) return { outcome: 'already', previous, loaded };
	const renewed = loaded.map((one) => (one === previous ? skill : one));
	return { outcome: 'renewed', previous, loaded: renewed };
}

/** Tells whether the model already got this very text in this execution. */
export function isSameDelivery(
	a: LoadedSkill,
	b: Pick<LoadedSkill, 'execution' | 'hash'>,
): boolean {
	return a.execution !== '' && a.execution === b.execution && a.hash === b.hash;
}
