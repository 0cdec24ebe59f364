import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { AgentSkillsHttpApi } from '../../../credentials/AgentSkillsHttpApi.credentials';
import { credentialsHelperOf } from './credentials';
import type { SavedWorkflow } from './host';

/** The secret that the credential of the tests holds. */
export const SECRET = 'hunter2-SECRET';

/** Gives back the parameters of a Skills Source over a website; public unless told. */
export function websiteSource(websiteUrl: string, more: IDataObject = {}): IDataObject {
	return { backend: 'website', websiteUrl, ...more };
}

/** The parameter that makes a Skills Source use the credential. */
export const WITH_CREDENTIAL = { authentication: 'agentSkillsHttpApi' };

/** Gives back the workflow with the HTTP credential chosen in one of its Skills Sources. */
export function withHttpCredential(
	flow: SavedWorkflow,
	node = 'Source',
	id = 'http-1',
): SavedWorkflow {
	const credentials = { agentSkillsHttpApi: { id, name: 'Site' } };
	const nodes = flow.nodes.map((one) => (one.name === node ? { ...one, credentials } : one));
	return { ...flow, nodes };
}

/** Gives back n8n's credentials with two for a web server in them. */
export function httpCredentials(url: string, more: ICredentialDataDecryptedObject = {}): object {
	const data = { url, kind: 'bearer', token: SECRET, ...more };
	return credentialsHelperOf([new AgentSkillsHttpApi()], { 'http-1': data, 'http-2': data });
}
