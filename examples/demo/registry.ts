import { DemoError, run } from './process';

const PING_AT_MOST_MS = 15_000;
const NETWORK_CODES =
	/code (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|E\w*TIMEDOUT|E\w*TIMEOUT|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EPIPE|ERR_SOCKET_TIMEOUT|FETCH_ERROR)\b/;

/**
 * Throws when the npm registry cannot be reached. npm itself would try for minutes before it says so.
 *
 * An answer is enough, whatever it says: not every registry knows a ping.
 */
export async function assertRegistryAnswers(
	folder: string,
	atMostMs = PING_AT_MOST_MS,
): Promise<void> {
	const flags = ['--fetch-retries=0', `--fetch-timeout=${atMostMs}`, '--loglevel=error'];
	const { code, output } = await run('npm', ['ping', ...flags], { cwd: folder });
	if (code !== 0 && isNetworkError(output)) throw new DemoError(unreachable(output));
}

/** Whether npm ended because nobody answered, by the code that it prints. */
export function isNetworkError(output: string): boolean {
	return NETWORK_CODES.test(output);
}

/** Says that the registry could not be reached, with npm's own reason, and what to do. */
export function unreachable(output: string): string {
	const lines = output.trim().split('\n');
	const reason = lines.find((line) => /reason:|timeout/.test(line)) ?? lines[0];
	return (
		'The npm registry could not be reached. Check the network and the proxy ' +
		`(npm config get registry), then start again.\n  ${reason.replace(/^npm \S+ /, '')}`
	);
}
