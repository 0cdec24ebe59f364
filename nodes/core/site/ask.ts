import { SkillError, type Diagnostic } from '../errors';
import { assertSuccess, parseUrl, type HttpClient, type HttpResponse } from '../http';
import { MAX_INDEX_BYTES } from '../limits';
import { parseSiteIndex, placeOf, type SiteIndex } from './parse';

/** An index, and what is needed to ask whether it is still the same. */
export interface KnownIndex extends SiteIndex {
	asked: string;
	/** Where it was in the end; addresses in it are relative to that. */
	url: string;
	validators: Record<string, string>;
	checkedAt: number;
	/** Of skills whose content was refused: why, until the index changes or it fits. */
	refused: Map<string, Diagnostic>;
}

const WELL_KNOWN = '/.well-known/agent-skills/index.json';
const WELL_KNOWN_OLD = '/.well-known/skills/index.json';

/** Tells by an answer's status that there is no such file. */
export const ABSENT = new Set([404, 410]);

/** Gives back where the index of a site may be, the newest version first. */
export function indexUrls(address: string): string[] {
	const url = parseUrl(address);
	url.hash = '';
	if (url.pathname.endsWith('.json')) return [url.href];
	const path = url.pathname.replace(/\/+$/, '');
	const at = (pathname: string) => new URL(pathname, url.origin).href;
	if (path.includes('/.well-known/')) return [at(`${path}/index.json`)];
	return [at(path + WELL_KNOWN), at(path + WELL_KNOWN_OLD)];
}

/** Gives back the index that a site has now; `last` is taken where the site says it still holds. */
export async function askIndex(
	client: HttpClient,
	candidates: string[],
	last: KnownIndex | undefined,
): Promise<KnownIndex> {
	for (const asked of candidates) {
		const validators = last?.asked === asked ? last.validators : {};
		const headers = { accept: 'application/json', ...validators };
		const response = await client({ url: asked, headers, maxBytes: MAX_INDEX_BYTES });
		const checkedAt = Date.now();
		if (response.status === 304 && last) return { ...last, checkedAt };
		if (isAbsent(response)) continue;
		assertSuccess(response);
		const { url, body } = response;
		const parsed = parseSiteIndex(body, url);
		const refused = new Map<string, Diagnostic>();
		return { ...parsed, asked, url, validators: validatorsOf(response), checkedAt, refused };
	}
	throw new SkillError(
		'source-not-found',
		`The site has no index of skills; looked at ${candidates.map(placeOf).join(' and ')}.`,
		'Check the address: it is the site, or the index itself.',
	);
}

/** Tells whether there is no index; many sites answer any address with a page. */
function isAbsent({ status, headers }: HttpResponse): boolean {
	return ABSENT.has(status) || (status === 200 && /\bhtml\b/i.test(headers['content-type'] ?? ''));
}

function validatorsOf({ headers }: HttpResponse): Record<string, string> {
	const { etag, 'last-modified': modified } = headers;
	return {
		...(etag === undefined ? {} : { 'if-none-match': etag }),
		...(modified === undefined ? {} : { 'if-modified-since': modified }),
	};
}
