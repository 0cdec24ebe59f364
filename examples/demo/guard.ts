// Loaded into the n8n process ahead of n8n: ends it, and the task runners it started, when the
// process that started it is gone without having been able to stop it.
const CHECK_MS = 1_000;
const parent = process.ppid;

setInterval(() => {
	if (process.ppid === parent) return;
	try {
		process.kill(-process.pid, 'SIGKILL');
	} catch {
		process.exit(1);
	}
}, CHECK_MS).unref();

export {};
