import { createGithubBackend } from '../../core/backends';
import { folderOf, parseRepository, type Repository } from '../../core/github/repository';
import { createHttpClient } from '../../core/http';
import { DEFAULT_REFRESH_SECONDS } from '../../core/limits';
import { joinPath, labelOf } from '../../core/path';
import type { SourceSpec } from '../../core/types';
import type { NodeContext } from '../context';
import { credentialIdentity, httpExchange } from '../http';
import { limitSources } from './folders';
import type { OpenSource } from './types';

/** Name of the credential with the token. */
export const GITHUB_CREDENTIAL = 'agentSkillsGithubApi';

/** Opens folders of a GitHub repository. */
export const openGithub: OpenSource = async (context, itemIndex, options) => {
	const text = (name: string) => String(context.getNodeParameter(name, itemIndex, '') ?? '');
	const hasToken = text('githubAuthentication') === 'token';
	const { repository, folder } = parseRepository({
		owner: text('owner'),
		repository: text('repository'),
		ref: text('revision'),
		// A token goes nowhere but to the address that it was entered for.
		apiUrl: hasToken ? await addressOfToken(context, itemIndex) : text('githubApiUrl'),
	});
	const rows = context.getNodeParameter('repositoryFolders.folder', itemIndex, []);
	const { sources, diagnostics } = limitSources(
		toSources(rows as Array<Partial<SourceSpec>>, folder, repository),
	);
	const exchange = httpExchange(context, hasToken ? GITHUB_CREDENTIAL : undefined);
	const backend = createGithubBackend({
		client: createHttpClient(exchange, repository.apiUrl),
		repository,
		sources: sources.map(({ path }) => path),
		identity: hasToken ? await credentialIdentity(context, itemIndex, GITHUB_CREDENTIAL) : '',
		refreshMs: (options.refreshSeconds ?? DEFAULT_REFRESH_SECONDS) * 1000,
	});
	return { backend, sources, diagnostics };
};

async function addressOfToken(context: NodeContext, itemIndex: number): Promise<string> {
	const { apiUrl } = await context.getCredentials(GITHUB_CREDENTIAL, itemIndex);
	return typeof apiUrl === 'string' ? apiUrl : '';
}

function toSources(
	rows: Array<Partial<SourceSpec>>,
	pasted: string,
	{ name }: Repository,
): SourceSpec[] {
	const wanted = rows.length === 0 ? [{ path: pasted }] : rows;
	return wanted.map(({ path = '', label }: Partial<SourceSpec>) => {
		const folder = folderOf(path);
		const whole = folder === '/' ? `/${name}` : joinPath(`/${name}`, folder.slice(1));
		return { path: folder, label: labelOf(whole, label) };
	});
}
