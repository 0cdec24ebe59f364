import { N8nClient } from './client';
import type { Owner } from './client';
import { seedLibrary } from './library';
import { demoWorkflow, useModel } from './workflow';

const CREDENTIAL_NAME = 'Demo model';
const CREDENTIAL_TYPE = 'openAiApi';

/** The model that the demo talks to. */
export interface ModelAccess {
	url: string;
	apiKey: string;
	model: string;
}

/** Makes the demo's owner, credential, library and workflows where they are missing; the id of the first. */
export async function seed(
	url: string,
	owner: Owner,
	access: ModelAccess,
	skillsFolder: string,
): Promise<string> {
	const client = new N8nClient(url);
	await client.signIn(owner);
	const credential = { id: await seedCredential(client, access), name: CREDENTIAL_NAME };
	const filling = { skillsFolder, model: access.model, credential };
	await seedLibrary(client, filling);
	const wanted = demoWorkflow(filling);
	const known = (await client.workflows()).find(({ name }) => name === wanted.name);
	if (known === undefined) return (await client.createWorkflow(wanted)).id;
	// The workflow may have been edited since: only what this start decides is set again.
	const stored = await client.workflow(known.id);
	if (useModel(stored, filling)) await client.updateWorkflow(known.id, { nodes: stored.nodes });
	return known.id;
}

async function seedCredential(client: N8nClient, { url, apiKey }: ModelAccess): Promise<string> {
	const data = { apiKey, url };
	const known = (await client.credentials()).find(({ name }) => name === CREDENTIAL_NAME);
	if (known === undefined) {
		return await client.createCredential(CREDENTIAL_NAME, CREDENTIAL_TYPE, data);
	}
	await client.updateCredential(known.id, CREDENTIAL_NAME, CREDENTIAL_TYPE, data);
	return known.id;
}
