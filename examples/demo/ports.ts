import { createServer } from 'node:net';

/** The address everything here listens on. */
export const LOOPBACK = '127.0.0.1';

/** A port on loopback that is free now: the wanted one, or any. Null when the wanted one is taken. */
export async function freePort(wanted = 0): Promise<number | null> {
	return await new Promise((resolve) => {
		const probe = createServer();
		probe.once('error', () => resolve(null));
		probe.listen(wanted, LOOPBACK, () => {
			const address = probe.address();
			const port = address !== null && typeof address === 'object' ? address.port : null;
			probe.close(() => resolve(port));
		});
	});
}
