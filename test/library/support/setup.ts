import { startPostgres, type PostgresServer } from './server';

declare global {
	var postgresServer: PostgresServer | undefined;
}

/** Where the server is, as every test file is told. */
export const POSTGRES_VARIABLE = 'AGENT_SKILLS_POSTGRES';

// Jest takes the function that runs before all files as the default export.
export default async function setup(): Promise<void> {
	globalThis.postgresServer = await startPostgres();
	process.env[POSTGRES_VARIABLE] = JSON.stringify(globalThis.postgresServer.settings);
}
