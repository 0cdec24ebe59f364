import type { Host, SavedWorkflow } from './host';

/** A session as static data holds it. */
export interface StoredSession {
	state: string;
	session: string;
	touched: number;
	loaded: Array<{ name: string; execution: string; pinned?: boolean }>;
}

/** Gives back the sessions that the database has of a workflow. */
export function storedSessions(host: Host, saved: SavedWorkflow): StoredSession[] {
	const { global } = host.staticData(saved) as {
		global?: { agentSkills?: { sessions: StoredSession[] } };
	};
	return global?.agentSkills?.sessions ?? [];
}
