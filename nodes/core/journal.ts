import { createHash } from 'node:crypto';

import { z } from 'zod';

import { COMPACTION_DEAD_MS } from './limits';
import {
	mergeSessions,
	scopeKey,
	serializeState,
	takeSlot,
	type Scope,
	type Sessions,
} from './loaded';
import { loadedSkillSchema, sessionSchema } from './schema';

/** Version of the entries; entries of another one are left alone. */
const JOURNAL_VERSION = 1;
const OURS = 'agent-skills/';
const HEADER = `${OURS}${JOURNAL_VERSION} `;

const common = { id: z.string().min(1), at: z.number().finite() };
const scoped = { ...common, state: z.string(), session: z.string() };

/**
 * One entry of the log that several processes share: what was loaded or unloaded by whom, or a
 * step of a compaction. Entries are only ever added; what is loaded is computed from all of them.
 */
const entrySchema = z.discriminatedUnion('op', [
	z.object({
		op: z.literal('record'),
		...scoped,
		skill: loadedSkillSchema,
		max: z.number().optional(),
	}),
	z.object({ op: z.literal('forget'), ...scoped, name: z.string() }),
	/** All that was loaded, and the ids (with their times) of the entries that it stands for. */
	z.object({
		op: z.literal('snapshot'),
		...common,
		covers: z.record(z.number()),
		sessions: z.array(sessionSchema),
	}),
	/** Announces that a process is about to replace the log by a snapshot. */
	z.object({ op: z.literal('compact'), ...common }),
	/** Takes an announcement back. */
	z.object({ op: z.literal('abandon'), ...common, compact: z.string() }),
]);

/** An entry of the log. */
export type JournalEntry = z.infer<typeof entrySchema>;
type EntryOf<Op extends JournalEntry['op']> = Extract<JournalEntry, { op: Op }>;

/** What a log says at one moment. */
export interface JournalView {
	sessions: Sessions;
	/** Ids, with their times, of all entries that are in the log or in a snapshot of it. */
	known: Map<string, number>;
	/** Ids of the compactions that are announced and neither done nor taken back. */
	open: string[];
	/** Ids of the entries that are in the log itself. */
	present: Set<string>;
	/** How many snapshots the log has. */
	snapshots: number;
	/** How many texts the log has. */
	length: number;
	/** Time of the oldest entry that is in the log itself. */
	since: number;
	/** Texts that are not ours: somebody keeps a conversation there. */
	foreign: number;
	/** Texts of ours that cannot be read: damaged, or of another version. */
	unreadable: number;
}

/**
 * Gives back a scope as entries name it. Whoever can read the log must not learn from it the id of
 * anybody's session, which may be all that it takes to continue a conversation.
 */
export function hiddenScope({ state, session }: Scope): Scope {
	if (session === '' || session.startsWith(HIDDEN)) return { state, session };
	const hash = createHash('sha256')
		.update(JSON.stringify([state, session]))
		.digest('base64url');
	return { state, session: HIDDEN + hash.slice(0, HIDDEN_LENGTH) };
}

// No session begins so: each has its kind in front.
const HIDDEN = '#';
// 128 bits: nobody finds another session with the same.
const HIDDEN_LENGTH = 22;

/** Gives back an entry as the text that a log keeps. */
export function encodeEntry(entry: JournalEntry): string {
	return HEADER + JSON.stringify(entry);
}

/** Gives back the entry of a text; null when it is of ours but cannot be read. */
export function decodeEntry(text: string): JournalEntry | 'foreign' | null {
	if (!text.startsWith(OURS)) return 'foreign';
	if (!text.startsWith(HEADER)) return null;
	try {
		const entry = entrySchema.safeParse(JSON.parse(text.slice(HEADER.length))).data;
		return entry ? withoutSessionIds(entry) : null;
	} catch {
		return null;
	}
}

/** Older entries name sessions as they are. */
function withoutSessionIds(entry: JournalEntry): JournalEntry {
	if (entry.op === 'record' || entry.op === 'forget') return { ...entry, ...hiddenScope(entry) };
	if (entry.op !== 'snapshot') return entry;
	return { ...entry, sessions: entry.sessions.map((one) => ({ ...one, ...hiddenScope(one) })) };
}

/**
 * Gives back what a log says. Every reader comes to the same result: snapshots first, then the
 * entries that none of them stands for, each once, in the order of the log. So the log's order
 * decides who gets the last slot.
 */
export function foldJournal(texts: string[], now: number): JournalView {
	const decoded = texts.map(decodeEntry);
	const entries = decoded.filter((one): one is JournalEntry => one !== null && one !== 'foreign');
	const snapshots = entries.filter((one) => one.op === 'snapshot') as Array<EntryOf<'snapshot'>>;
	const known = new Map(snapshots.flatMap(({ covers }) => Object.entries(covers)));
	const covered = new Set(known.keys());
	const sessions: Sessions = new Map();
	for (const snapshot of snapshots) {
		if (!covered.has(snapshot.id)) {
			mergeSessions(sessions, new Map(snapshot.sessions.map((one) => [scopeKey(one), one])));
		}
	}
	for (const entry of entries) {
		if (!known.has(entry.id)) apply(sessions, entry);
		known.set(entry.id, entry.at);
	}
	return {
		sessions,
		known,
		open: openCompactions(entries, covered, now),
		present: new Set(entries.map(({ id }) => id)),
		snapshots: snapshots.length,
		length: texts.length,
		since: Math.min(now, ...entries.map(({ at }) => at)),
		foreign: decoded.filter((one) => one === 'foreign').length,
		unreadable: decoded.filter((one) => one === null).length,
	};
}

/** Changes the sessions by one entry; one that found all slots taken changes nothing. */
function apply(sessions: Sessions, entry: JournalEntry): void {
	if (entry.op !== 'record' && entry.op !== 'forget') return;
	const { state, session, at } = entry;
	const scope: Scope = { state, session };
	const key = scopeKey(scope);
	const before = sessions.get(key);
	const loaded = before?.loaded ?? [];
	const after =
		entry.op === 'forget'
			? loaded.filter(({ name }) => name !== entry.name)
			: takeSlot(loaded, entry.skill, entry.max ?? Number.POSITIVE_INFINITY).loaded;
	sessions.set(key, { ...scope, touched: Math.max(at, before?.touched ?? 0), loaded: after });
}

function openCompactions(entries: JournalEntry[], covered: Set<string>, now: number): string[] {
	const over = new Set(entries.map((one) => (one.op === 'abandon' ? one.compact : '')));
	return entries
		.filter(({ op, at }) => op === 'compact' && now - at < COMPACTION_DEAD_MS)
		.map(({ id }) => id)
		.filter((id) => !over.has(id) && !covered.has(id));
}

/** Gives back all that a log says as one entry; what was idle for too long is left out. */
export function snapshotOf(
	{ sessions, known, present }: JournalView,
	{ id, at, coverMs }: { id: string; at: number; coverMs: number },
): JournalEntry {
	// Those in the log are named however old they are: it may turn out that they were not deleted.
	const covered = [...known].filter(([one, time]) => present.has(one) || at - time < coverMs);
	const stored = serializeState(new Map(sessions), at);
	return { op: 'snapshot', id, at, covers: Object.fromEntries(covered), sessions: stored.sessions };
}
