import { createHash } from 'node:crypto';

import { NodeConnectionTypes, type IBinaryData } from 'n8n-workflow';

import { SkillError } from '../core/errors';
import { MAX_ARCHIVE_BYTES, MAX_REMEMBERED_EXECUTIONS, MAX_SOURCES } from '../core/limits';
import { LruMap } from '../core/lru';
import { blobs } from '../core/remote';
import { count, echo } from '../core/text';
import type { NodeContext } from './context';
import { executionId } from './executions';

/** A file that came as binary data. */
export interface BinaryFile {
	name: string;
	content: Uint8Array;
}

/** Which files a field had in an execution, by their digests. */
type Seen = Map<string, string>;

const seenByRun = new LruMap<string, Seen>(MAX_REMEMBERED_EXECUTIONS);

/**
 * Gives back the files of a parameter: names of binary fields of the item, parted by commas, or
 * binary data itself, one or a list, that an expression took from another node.
 */
export async function binaryFiles(
	context: NodeContext,
	itemIndex: number,
	parameter: unknown,
): Promise<BinaryFile[]> {
	const fields = Array.isArray(parameter) ? parameter : [parameter];
	const wanted = fields.flatMap((field: unknown) =>
		typeof field === 'string' ? field.split(',').map((name) => name.trim()) : [field],
	);
	const given = wanted.filter((field) => field !== '' && field !== undefined && field !== null);
	if (given.length === 0) throw missing('No binary field is named.');
	if (given.length > MAX_SOURCES) {
		throw new SkillError('data-invalid', `More than ${MAX_SOURCES} binary fields are named.`);
	}
	return await Promise.all(given.map(async (field) => await fileOf(context, itemIndex, field)));
}

async function fileOf(
	context: NodeContext,
	itemIndex: number,
	field: unknown,
): Promise<BinaryFile> {
	const data = find(context, itemIndex, field);
	if (data === null && isAttached(context)) return await recall(context, field);
	if (data === null) throw missing(`The item has no binary field "${echo(field)}".`);
	const bytes = Number(data.bytes ?? 0);
	if (bytes > MAX_ARCHIVE_BYTES) {
		const size = `${count(bytes, 'byte')}, more than ${count(MAX_ARCHIVE_BYTES, 'byte')}`;
		throw new SkillError('data-invalid', `The binary data of "${echo(field)}" has ${size}.`);
	}
	const content = await context.helpers.getBinaryDataBuffer(itemIndex, data);
	const name = data.fileName ?? (typeof field === 'string' ? field : 'archive');
	await remember(context, field, { name, content });
	return { name, content };
}

function find(context: NodeContext, itemIndex: number, field: unknown): IBinaryData | null {
	try {
		return context.helpers.assertBinaryData(itemIndex, field as string);
	} catch {
		return null;
	}
}

/** In a run of its own a node has each item as it is: a file that is missing is another item's. */
function isAttached(context: NodeContext): boolean {
	return context.getNodeOutputs().every(({ type }) => type !== NodeConnectionTypes.Main);
}

/**
 * The AI Agent gives a tool its item without the files, so what the catalog's item had in the same
 * execution is meant; where its items had different files, nobody knows which.
 */
async function recall(context: NodeContext, field: unknown): Promise<BinaryFile> {
	const seen = typeof field === 'string' ? seenIn(context, field) : undefined;
	if (seen === undefined || seen.size === 0) {
		throw missing(`The item has no binary field "${echo(field)}".`);
	}
	if (seen.size > 1) {
		throw missing(`The items have different files in the binary field "${echo(field)}".`);
	}
	const [[digest, name]] = seen;
	const content = await blobs.get(blobKey(digest), async () => {
		throw missing(`The file of the binary field "${echo(field)}" is no longer in memory.`);
	});
	return { name, content };
}

async function remember(context: NodeContext, field: unknown, file: BinaryFile): Promise<void> {
	const isKept = typeof field === 'string' && isAttached(context);
	const seen = isKept ? seenIn(context, field) : undefined;
	if (seen === undefined) return;
	const digest = createHash('sha256').update(file.content).digest('hex');
	seen.set(digest, file.name);
	await blobs.get(blobKey(digest), async () => file.content);
}

function seenIn(context: NodeContext, field: string): Seen | undefined {
	const run = executionId(context);
	if (run === '') return undefined;
	const key = JSON.stringify([run, context.getNode().name, field]);
	return seenByRun.getOrCreate(key, () => new Map<string, string>());
}

function blobKey(digest: string): string {
	return `binary ${digest}`;
}

function missing(message: string): SkillError {
	return new SkillError(
		'data-invalid',
		message,
		'Name a binary field of the item, or take the file from its node by an expression: {{ $("Read File").item.binary.data }}',
	);
}
