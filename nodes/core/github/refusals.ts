import { SkillError } from '../errors';
import type { HttpResponse } from '../http';
import { GITHUB_MAX_PAUSE_MS, GITHUB_PAUSE_MS } from '../limits';
import { GITHUB_API_URL, type Repository } from './repository';

/** Gives back what an answer of the API other than success means, and what to do about it. */
export function refusalOf(
	response: HttpResponse,
	repository: Repository,
	hasToken: boolean,
): SkillError {
	const { status, headers } = response;
	if (status === 401) {
		return new SkillError(
			'source-denied',
			'GitHub refused the token (401): it is wrong, expired or revoked.',
			'Make a new token and put it into the credential.',
		);
	}
	if (status === 403 && headers['x-github-sso'] !== undefined) {
		return new SkillError(
			'source-denied',
			"The token is not authorized for the organization's single sign-on (403).",
			'On GitHub, authorize the token: Settings, Developer settings, the token, Configure SSO.',
		);
	}
	if (status === 404 || status === 403 || status === 451) {
		return notFound(status, repository, hasToken);
	}
	if (status === 422) {
		return new SkillError(
			'source-denied',
			`The repository has no branch, tag or commit "${repository.ref}" (422).`,
			'Correct it, or leave it empty for the default branch.',
		);
	}
	return new SkillError(
		'source-unreadable',
		`GitHub answered with the status ${status}.`,
		status >= 500 ? 'Try again later; https://www.githubstatus.com may say more.' : undefined,
	);
}

function notFound(status: number, repository: Repository, hasToken: boolean): SkillError {
	const { owner, name, ref, apiUrl } = repository;
	const at = ref === '' ? '' : `, the branch, tag or commit "${ref}"`;
	const access = hasToken
		? `that the token may read the contents of this repository`
		: 'if the repository is private, add a credential with a token';
	const enterprise =
		apiUrl === GITHUB_API_URL || apiUrl.endsWith('/api/v3')
			? ''
			: ' The API address of GitHub Enterprise Server ends in /api/v3.';
	return new SkillError(
		'source-denied',
		`GitHub has no repository ${owner}/${name} that can be read here (${status}).`,
		`Check the owner and the name${at}; and ${access}.${enterprise}`,
	);
}

/** Gives back until when the API wants to be left alone, null when it did not say so. */
export function pauseOf({ status, headers, body }: HttpResponse, now: number): number | null {
	if (status !== 403 && status !== 429) return null;
	const retryAfter = Number(headers['retry-after'] ?? Number.NaN);
	const latest = now + GITHUB_MAX_PAUSE_MS;
	if (Number.isFinite(retryAfter)) return Math.min(now + retryAfter * 1000, latest);
	const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1000;
	if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(reset)) {
		return Math.min(reset, latest);
	}
	// The secondary limit may come without any number; GitHub then asks for at least a minute.
	const isLimit = status === 429 || /rate limit/i.test(Buffer.from(body).toString());
	return isLimit ? now + GITHUB_PAUSE_MS : null;
}

/** Gives back the error for a place that must not be asked before a time. */
export function rateLimited(until: number, hasToken: boolean): SkillError {
	const time = new Date(until).toISOString().slice(0, 16).replace('T', ' ');
	return new SkillError(
		'source-rate-limited',
		`GitHub allows no further requests until ${time} UTC.`,
		hasToken
			? 'Wait until then; to ask less often, raise "Check for Changes Every".'
			: 'Add a credential with a GitHub token: it raises the limit from 60 to 5,000 requests an hour. Or wait until then.',
	);
}

/** Gives back the error for a repository or folder with more files than the API lists. */
export function tooManyFiles(): SkillError {
	return new SkillError(
		'source-invalid',
		'It has more files than GitHub lists at once.',
		'Name the folder that holds the skills in Folders.',
	);
}
