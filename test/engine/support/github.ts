import type { IDataObject } from 'n8n-workflow';

import { AgentSkillsGithubApi } from '../../../credentials/AgentSkillsGithubApi.credentials';
import { credentialsHelperOf } from './credentials';
import type { SavedWorkflow } from './host';

/** The token that the credential of the tests holds; the server knows it. */
export const TOKEN = 'ghp_secret';

/** Gives back the parameters of a Skills Source over a repository; public unless told. */
export function githubSource(apiUrl: string, more: IDataObject = {}): IDataObject {
	return {
		backend: 'github',
		githubAuthentication: 'none',
		owner: 'octo',
		repository: 'skills',
		githubApiUrl: apiUrl,
		...more,
	};
}

/** Gives back the workflow with the GitHub credential chosen in one of its Skills Sources. */
export function withGithubCredential(flow: SavedWorkflow, node = 'Source'): SavedWorkflow {
	const credentials = { agentSkillsGithubApi: { id: 'github-1', name: 'GitHub' } };
	const nodes = flow.nodes.map((one) => (one.name === node ? { ...one, credentials } : one));
	return { ...flow, nodes };
}

/** Gives back n8n's credentials with one for GitHub in them. */
export function githubCredentials(apiUrl: string, accessToken = TOKEN): object {
	const stored = { 'github-1': { accessToken, apiUrl } };
	return credentialsHelperOf([new AgentSkillsGithubApi()], stored);
}
