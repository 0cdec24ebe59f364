import { createHash } from 'node:crypto';

import { unpackArchive } from '../archive';
import { SkillError } from '../errors';
import { assertSuccess, parseUrl, type HttpClient, type HttpResponse } from '../http';
import { MAX_ARCHIVE_BYTES } from '../limits';
import { baseName, isSafePath } from '../path';
import { lastAnswer, remembered, unpacked } from '../remote';
import { parseSkill, SKILL_FILE } from '../skill';
import type { SkillBackend } from '../types';
import type { DataFile } from './data';
import { createMountedBackend } from './mounted';

/** An archive that is in memory already. */
export interface ArchiveFile {
	name: string;
	content: Uint8Array;
	/** Where its files stand in the backend: one level, such as "/skills.zip". */
	folder: string;
}

/** An archive on a server, and how it is asked for. */
export interface ArchiveAddress {
	url: string;
	client: HttpClient;
	/** For so long the server is not asked whether it changed. */
	refreshMs: number;
	/** Names the credential: what one may see is never shown to another. */
	identity?: string;
}

interface Fetched {
	key: string;
	validators: Record<string, string>;
}

/** Gives back a backend over archives in memory, each in a folder of its own. */
export function createArchiveBackend(archives: ArchiveFile[]): SkillBackend {
	const keys = archives.map(({ content, folder }) => `${folder} ${digestOf(content)}`);
	const mounts = archives.map(({ name, content, folder }) => {
		const open = async () =>
			await unpacked.get(`archive ${digestOf(content)}`, async () => await unpack(content, name));
		return { folder, open, reopen: open };
	});
	return createMountedBackend(`archive:${JSON.stringify(keys)}`, '', mounts);
}

/** Gives back a backend over an archive on a server. */
export function createRemoteArchiveBackend(address: ArchiveAddress): SkillBackend {
	const url = parseUrl(address.url);
	url.hash = '';
	const id = `archive:${JSON.stringify([url.href, address.identity ?? ''])}`;
	const place = url.origin + url.pathname;
	const files = async ({ key }: Fetched) =>
		await unpacked.get(key, async () => await download(address, url.href));
	const ask = async (last: Fetched | undefined) => await revalidate(address, url.href, id, last);
	const open = async () => await files(await remembered(id, address.refreshMs, ask));
	// The catalog was made of the last archive, so its files are still meant when the server is down.
	const reopen = async () => {
		const last = lastAnswer<Fetched>(id);
		return last ? await files(last) : await open();
	};
	return createMountedBackend(id, place, [{ folder: '', open, reopen }]);
}

/** Gives back the files; those of a single skill in a folder that is named like it. */
async function unpack(content: Uint8Array, name: string): Promise<DataFile[]> {
	const files = await unpackArchive(content, name);
	const skill = files.find(({ path }) => path === `/${SKILL_FILE}`);
	if (!skill) return files;
	const own = parseSkill(skill.content, skill.path).fields?.name ?? '';
	const folder = [own, name.replace(/(?:\.\w+)+$/, ''), 'skill'].find(
		(one) => !one.includes('/') && !one.startsWith('.') && isSafePath(`/${one}`) && one !== '',
	);
	return files.map((file) => ({ ...file, path: `/${folder}${file.path}` }));
}

async function revalidate(
	{ client }: ArchiveAddress,
	url: string,
	id: string,
	last: Fetched | undefined,
): Promise<Fetched> {
	const response = await client({ url, headers: last?.validators, maxBytes: MAX_ARCHIVE_BYTES });
	if (response.status === 304 && last) return last;
	const key = `${id} ${digestOf(assertFound(response).body)}`;
	await unpacked.get(key, async () => await unpack(response.body, nameOf(url)));
	return { key, validators: validatorsOf(response) };
}

/** Gives back the files of an archive that other ones pushed out of the memory. */
async function download({ client }: ArchiveAddress, url: string): Promise<DataFile[]> {
	const response = await client({ url, maxBytes: MAX_ARCHIVE_BYTES });
	return await unpack(assertFound(response).body, nameOf(url));
}

function assertFound(response: HttpResponse): HttpResponse {
	if (response.status === 404 || response.status === 410) {
		const hint = 'Check the address of the archive.';
		throw new SkillError('source-not-found', 'The server has no such file.', hint);
	}
	assertSuccess(response);
	return response;
}

function validatorsOf({ headers }: HttpResponse): Record<string, string> {
	const { etag, 'last-modified': modified } = headers;
	return {
		...(etag === undefined ? {} : { 'if-none-match': etag }),
		...(modified === undefined ? {} : { 'if-modified-since': modified }),
	};
}

function nameOf(url: string): string {
	return baseName(new URL(url).pathname) || 'archive';
}

function digestOf(content: Uint8Array): string {
	return createHash('sha256').update(content).digest('hex');
}
