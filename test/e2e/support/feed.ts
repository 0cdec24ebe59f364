import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { LOOPBACK } from '../../../examples/demo/ports';

/** A news feed on loopback that a polling trigger watches. */
export interface Feed {
	url: string;
	/** Adds an item that the next poll finds. */
	publish(): void;
	stop(): Promise<void>;
}

/** Starts a feed with one old item. */
export async function startFeed(): Promise<Feed> {
	const dates = [new Date(0)];
	const item = (date: Date) =>
		`<item><title>News</title><guid>${date.getTime()}</guid><pubDate>${date.toUTCString()}</pubDate></item>`;
	const server = createServer((_request, response) => {
		response.writeHead(200, { 'content-type': 'application/rss+xml' });
		response.end(
			`<rss version="2.0"><channel><title>Feed</title>${dates.map(item).join('')}</channel></rss>`,
		);
	});
	await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://${LOOPBACK}:${port}/feed.xml`,
		publish: () => dates.push(new Date(Date.now() + dates.length * 1000)),
		async stop() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
