import { SkillError } from '../errors';
import { parseUrl } from '../http';
import { safeAbsolutePath } from '../path';

/** The address of GitHub's own API. */
export const GITHUB_API_URL = 'https://api.github.com';

/** A repository at a branch, tag or commit. */
export interface Repository {
	/** Address of the API, without a slash at its end. */
	apiUrl: string;
	owner: string;
	name: string;
	/** Branch, tag or commit; empty: the default branch. */
	ref: string;
}

/** What a person typed; either of the first two may hold "owner/name" or a whole web address. */
export interface TypedRepository {
	owner: string;
	repository: string;
	ref: string;
	apiUrl: string;
}

// Users of managed enterprises have an underscore in their names.
const OWNER = /^[a-z\d][a-z\d_-]{0,99}$/i;
const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/;
const REF = /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{))[^\0-\x20\x7f~^:?*[\\]{1,250}(?<![/.])$/;

/** Gives back the repository that is meant, and the folder if a pasted address names one. */
export function parseRepository(typed: TypedRepository): {
	repository: Repository;
	folder: string;
} {
	const apiUrl = apiUrlOf(typed.apiUrl);
	for (const text of [typed.owner, typed.repository]) assertNoSecret(text.trim());
	const whole = [typed.repository, typed.owner].map((text) => text.trim()).find(isWhole);
	const parts = whole === undefined ? null : partsOf(whole, apiUrl);
	const owner = parts?.owner ?? typed.owner.trim();
	const name = parts?.name ?? typed.repository.trim().replace(/\.git$/, '');
	const ref = typed.ref.trim() === '' ? (parts?.ref ?? '') : typed.ref.trim();
	if (!OWNER.test(owner) || !NAME.test(name)) {
		throw new SkillError(
			'source-invalid',
			`"${owner}/${name}" is not the name of a GitHub repository.`,
			'Fill in Owner and Repository, or paste the address of the repository into one of them.',
		);
	}
	if (ref !== '' && !REF.test(ref)) {
		throw new SkillError(
			'source-invalid',
			`"${ref}" is not the name of a branch, tag or commit.`,
			'Leave it empty for the default branch.',
		);
	}
	return { repository: { apiUrl, owner, name, ref }, folder: parts?.folder ?? '' };
}

/** Gives back a folder of a repository as an absolute path; empty means the root. */
export function folderOf(text: string): string {
	const path = safeAbsolutePath(`/${text.trim().replace(/^\/+/, '')}`);
	if (path !== null) return path;
	throw new SkillError(
		'source-invalid',
		`"${text}" is not a folder of a repository.`,
		'Write it from the root of the repository, for example: skills/team',
	);
}

/** Gives back how a repository is shown before the path of a file in it. */
export function locationOf({ apiUrl, owner, name, ref }: Repository): string {
	const host = apiUrl === GITHUB_API_URL ? 'github' : new URL(apiUrl).host;
	return `${host}:${owner}/${name}${ref === '' ? '' : `@${ref}`}`;
}

function apiUrlOf(text: string): string {
	const url = parseUrl(text.trim() === '' ? GITHUB_API_URL : text);
	// The address that people know is the one of the web pages.
	if (/^(?:www\.)?github\.com$/.test(url.host)) return GITHUB_API_URL;
	return (url.origin + url.pathname).replace(/\/+$/, '');
}

/** What stands before an "@" may be a token, and error texts reach the prompt. */
function assertNoSecret(text: string): void {
	if (!text.includes('@') || /^(?:ssh:\/\/)?git@[^@]*$/.test(text)) return;
	throw new SkillError(
		'source-invalid',
		'The address of the repository holds a user name or password.',
		'Leave it out, and choose a credential with a token instead.',
	);
}

function isWhole(text: string): boolean {
	return text.includes('/');
}

interface Parts {
	owner: string;
	name: string;
	ref?: string;
	folder?: string;
}

/** Understands owner/name, the clone addresses, and the address of a page of the repository. */
function partsOf(text: string, apiUrl: string): Parts {
	const clone = /^(?:ssh:\/\/)?git@([^:/]+)[:/](.+)$/.exec(text);
	const page = /^(?:https?:\/\/|(?=[\w-]+\.[\w.-]+\/[^/]+\/))([^/]+)\/([^?#]*)/i.exec(text);
	const [, host, path] = clone ?? page ?? ['', '', text];
	if (host !== '') assertSameHost(host.toLowerCase(), new URL(apiUrl).host);
	const [owner = '', name = '', kind, ref, ...folder] = path.split('/').map(decode);
	const isPage = (kind === 'tree' || kind === 'blob') && ref !== undefined;
	// The address of a SKILL.md means the skill.
	const inside = folder.filter((part, at) => part !== '' && !isFileOfPage(kind, folder, at));
	return {
		owner,
		name: name.replace(/\.git$/, ''),
		...(isPage ? { ref, folder: inside.join('/') } : {}),
	};
}

function isFileOfPage(kind: string, folder: string[], at: number): boolean {
	return kind === 'blob' && at === folder.length - 1;
}

function decode(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

function assertSameHost(host: string, apiHost: string): void {
	const bare = host.replace(/^www\./, '');
	if (apiHost === bare || apiHost === `api.${bare}`) return;
	throw new SkillError(
		'source-invalid',
		`The repository is on ${bare}, but the API address is that of ${apiHost}.`,
		`Set the API address (in the credential, or in this node) to that of ${bare}; of GitHub Enterprise Server it is https://${bare}/api/v3.`,
	);
}
