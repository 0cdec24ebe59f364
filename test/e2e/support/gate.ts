import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { LOOPBACK } from '../../../examples/demo/ports';

const OPENS_AFTER_MS = 75_000;

/** A server on loopback that answers nobody before all have come, or before it has waited long. */
export interface Gate {
	url: string;
	/** How many waited at the same time, at most. */
	most(): number;
	stop(): Promise<void>;
}

/** Starts a gate for a number of visitors. */
export async function startGate(visitors: number): Promise<Gate> {
	const waiting: ServerResponse[] = [];
	let most = 0;
	let isOpen = false;
	const open = () => {
		isOpen = true;
		for (const response of waiting.splice(0)) response.end('{}');
	};
	const timer = setTimeout(open, OPENS_AFTER_MS);
	const server = createServer((_request, response) => {
		waiting.push(response.writeHead(200, { 'content-type': 'application/json' }));
		most = Math.max(most, waiting.length);
		if (isOpen || waiting.length >= visitors) open();
	});
	await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://${LOOPBACK}:${port}/`,
		most: () => most,
		async stop() {
			clearTimeout(timer);
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
