/** What became of one skill in a sync. */
export interface SyncStatus {
	/** Empty where a skill was asked for by name and there is none. */
	id: string;
	name: string;
	ok: boolean;
	action:
		| 'written'
		| 'unchanged'
		| 'removed'
		/** Another skill of the same name comes before it, as it shall. */
		| 'shadowed'
		| 'not found or access denied'
		| 'failed';
	/** Why it is not in the folder, and what can be done. */
	reason?: string;
}
