/** What became of one skill in a sync. */
export interface SyncStatus {
	/** Empty where a skill was asked for by name and there is none. */
	id: string;
	name: string;
	ok: boolean;
	action: 'written' | 'unchanged' | 'removed' | 'not found or access denied' | 'failed';
	/** Why it failed, and what can be done. */
	reason?: string;
}
