import { SkillError } from './errors';
import { assertSuccess, parseUrl, type HttpClient, type HttpResponse } from './http';
import { MIN_ANSWER_BYTES } from './limits';
import { LazyServer } from './mcp/session';
import { indexUrls } from './site/ask';

const REFUSED = new Set([401, 403]);
/** Statuses by which a server says that it has nothing to GET there, as MCP servers do. */
const NOTHING_TO_GET = new Set([400, 404, 405, 406, 410, 415]);

/**
 * Throws what keeps a client from reading skills at an address: a file, a website or an MCP server.
 *
 * Which of them it is, only the answers tell: MCP servers have nothing to GET, and the front page of
 * a website may be open to everyone, or closed, while its index is not.
 */
export async function assertAccess(http: HttpClient, address: string): Promise<void> {
	const { href, origin } = parseUrl(address);
	const direct = await ask(http, href);
	if (isFile(direct)) return;
	const answers = [direct];
	for (const url of indexUrls(href).filter((one) => one !== href)) {
		answers.push(await ask(http, url));
	}
	if (answers.some(isFile)) return;
	const refused = answers.find(({ status }) => REFUSED.has(status));
	if (!isPage(direct) && (await isOpenMcpServer(http, href))) return;
	if (refused) throw refusal(refused.status);
	if (isPage(direct) && new URL(direct.url).origin !== origin) throw leadsAway(direct.url);
	if (NOTHING_TO_GET.has(direct.status)) throw nothingThere(direct.status);
	assertSuccess(direct);
}

async function ask(http: HttpClient, url: string): Promise<HttpResponse> {
	return await http({ url, maxBytes: MIN_ANSWER_BYTES, withoutBody: true });
}

function isSuccess({ status }: HttpResponse): boolean {
	return status >= 200 && status < 300;
}

/** Tells whether an answer is a page for people, which proves nothing: it may be open to all. */
function isPage(answer: HttpResponse): boolean {
	return isSuccess(answer) && /\bhtml\b/i.test(answer.headers['content-type'] ?? '');
}

/** Tells whether an answer is what was asked for, and neither a page nor an MCP server's stream. */
function isFile(answer: HttpResponse): boolean {
	const isStream = answer.headers['content-type']?.startsWith('text/event-stream') ?? false;
	return isSuccess(answer) && !isPage(answer) && !isStream;
}

/** Tells whether there is an MCP server that lets us in, with skills or without; it may refuse. */
async function isOpenMcpServer(http: HttpClient, url: string): Promise<boolean> {
	const server = new LazyServer(url, http);
	try {
		await server.use(async (connected) => await connected.list());
		return true;
	} catch (error) {
		if (!(error instanceof SkillError)) throw error;
		if (error.code === 'source-denied') throw refusal();
		if (error.code === 'source-rate-limited') throw error;
		return error.code === 'source-invalid';
	} finally {
		await server.close();
	}
}

function refusal(status?: number): SkillError {
	return new SkillError(
		'source-denied',
		`The server refuses the secret${status === undefined ? '' : ` (status ${status})`}.`,
		'Check the secret, and how the server wants it.',
	);
}

function nothingThere(status: number): SkillError {
	return new SkillError(
		'source-not-found',
		`There is nothing to read at this address (status ${status}).`,
		'Write the address of a file, a website or an MCP server.',
	);
}

function leadsAway(url: string): SkillError {
	return new SkillError(
		'source-invalid',
		`The server leads to ${new URL(url).host}, which does not get the secret.`,
		'Write the address of the server that wants it.',
	);
}
