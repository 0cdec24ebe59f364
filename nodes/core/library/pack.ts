import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';

import { ZipFile } from 'yazl';

import { MAX_COMPRESSION_RATIO } from '../limits';

const deflate = promisify(deflateRaw);

// A ZIP file knows no earlier time; the same files shall always give the same bytes.
const FIXED_TIME = new Date(1980, 0, 1);
const MODE = 0o100644;
// What is smaller than this cannot be packed so well that a reader takes it for a bomb.
const SMALL_BYTES = 4096;

/**
 * Gives back a ZIP file. This is the one module that imports `yazl`; the build bundles it here.
 */
export async function packZip(
	files: Array<{ path: string; content: Uint8Array }>,
): Promise<Uint8Array> {
	const zip = new ZipFile();
	for (const { path, content } of files) {
		const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
		const compress = !(await looksLikeBomb(buffer));
		zip.addBuffer(buffer, path, {
			mtime: FIXED_TIME,
			mode: MODE,
			compress,
			forceDosTimestamp: true,
		});
	}
	zip.end();
	const chunks: Buffer[] = [];
	for await (const chunk of zip.outputStream as AsyncIterable<Buffer>) chunks.push(chunk);
	return Buffer.concat(chunks);
}

/** Readers, ours too, refuse what unpacks to a multiple of its size; such files are just stored. */
async function looksLikeBomb(content: Buffer): Promise<boolean> {
	if (content.byteLength <= SMALL_BYTES) return false;
	const packed = (await deflate(content)).byteLength;
	return content.byteLength > (packed * MAX_COMPRESSION_RATIO) / 2;
}
