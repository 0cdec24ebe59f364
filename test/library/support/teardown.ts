// Jest takes the function that runs after all files as the default export.
export default async function teardown(): Promise<void> {
	await globalThis.postgresServer?.stop();
}
