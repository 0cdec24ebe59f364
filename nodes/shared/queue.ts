const COMMANDS_OF_QUEUE_MODE = ['worker', 'webhook'];

/**
 * Tells whether other processes run executions of the same workflows. Workers and webhook processes
 * are in queue mode by their command alone; n8n's main process by its environment.
 */
export function isQueueMode(): boolean {
	if (COMMANDS_OF_QUEUE_MODE.includes(process.argv[2])) return true;
	// As n8n reads it: people write spaces and quotation marks into their .env files.
	const mode = (process.env.EXECUTIONS_MODE ?? '').trim().replace(/^(['"])(.*)\1$/, '$2');
	return mode === 'queue';
}
