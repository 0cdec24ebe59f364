import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';

import { fromBufferPromise, getFileNameLowLevel, type Entry } from 'yauzl';

import type { EntryKind, Unpacking } from './unpacking';

const TYPE_MASK = 0o170000;
const KINDS: Record<number, EntryKind> = { 0: 'file', 0o100000: 'file', 0o040000: 'folder' };
const SYMLINK = 0o120000;

/**
 * Unpacks a ZIP file, entry by entry. This is the one module that imports `yauzl`; the build
 * bundles it here.
 */
export async function unpackZip(content: Uint8Array, unpacking: Unpacking): Promise<void> {
	const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
	// Names stay bytes: decoded by the library, a backslash would silently become a slash.
	const zip = await fromBufferPromise(buffer, { decodeStrings: false, validateEntrySizes: true });
	for await (const entry of zip.eachEntry()) {
		const name = nameOf(entry);
		const path = unpacking.admit(name, kindOf(entry, name));
		if (path === null) continue;
		const stream = await zip.openReadStreamPromise(entry);
		const file = await collect(stream, (bytes) => unpacking.grow(bytes, name));
		if (crc32(file) !== entry.crc32) unpacking.refuse(name, 'is damaged: its checksum is wrong');
		unpacking.keep(path, file);
	}
}

function nameOf(entry: Entry): string {
	const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
	return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
}

function kindOf(entry: Entry, name: string): EntryKind {
	if (entry.isEncrypted()) return 'encrypted';
	const type = (entry.externalFileAttributes >>> 16) & TYPE_MASK;
	if (type === SYMLINK) return 'link';
	const kind = KINDS[type] ?? 'device';
	if (kind === 'file' && name.endsWith('/')) return 'folder';
	return kind === 'file' && !entry.canDecodeFileData() ? 'unsupported' : kind;
}

async function collect(stream: Readable, onBytes: (bytes: number) => void): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		onBytes(chunk.byteLength);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}
