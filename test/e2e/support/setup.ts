import { startWorld } from './world';
import type { SharedN8n } from './world';

declare global {
	var sharedN8n: SharedN8n | undefined;
}

// Jest takes the function that runs before all files as the default export.
export default async function setup(): Promise<void> {
	globalThis.sharedN8n = await startWorld();
}
