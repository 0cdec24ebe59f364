/**
 * Tells whether other processes run executions of the same workflows. A worker is in queue mode by
 * its command alone; n8n's main process by its environment.
 */
export function isQueueMode(): boolean {
	return process.argv[2] === 'worker' || process.env.EXECUTIONS_MODE === 'queue';
}
