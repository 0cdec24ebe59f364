import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import { extract, type Header } from 'tar-stream';

import type { EntryKind, Unpacking } from './unpacking';

const KINDS: Record<string, EntryKind> = {
	file: 'file',
	'contiguous-file': 'file',
	directory: 'folder',
	link: 'link',
	symlink: 'link',
	'block-device': 'device',
	'character-device': 'device',
	fifo: 'device',
};

/**
 * Unpacks a gzipped tar file, entry by entry. This is the one module that imports `tar-stream`; the
 * build bundles it here.
 */
export async function unpackTarGz(content: Uint8Array, unpacking: Unpacking): Promise<void> {
	const tar = extract();
	let current = '';
	const counted = async function* (chunks: AsyncIterable<Buffer>) {
		for await (const chunk of chunks) {
			// Headers count too: an archive of nothing but headers is a bomb as well.
			unpacking.grow(chunk.byteLength, current);
			yield chunk;
		}
	};
	tar.on('entry', (header, stream, next) => {
		current = header.name;
		const chunks: Buffer[] = [];
		stream.on('data', (chunk) => chunks.push(chunk as Buffer));
		stream.on('error', () => undefined);
		try {
			const path = unpacking.admit(header.name, kindOf(header));
			stream.on('end', () => {
				if (path !== null) unpacking.keep(path, Buffer.concat(chunks));
				next();
			});
		} catch (error) {
			next(error as Error);
		}
	});
	// The stream is of another library, but a Node.js one by its behaviour.
	const sink = tar as unknown as NodeJS.WritableStream;
	await pipeline(Readable.from([content]), createGunzip(), counted, sink);
}

function kindOf({ type, name, pax }: Header): EntryKind {
	const isSparse = Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse.'));
	const kind = isSparse ? 'unsupported' : (KINDS[type] ?? 'unsupported');
	return kind === 'file' && name.endsWith('/') ? 'folder' : kind;
}
