import type { IExecuteFunctions } from 'n8n-workflow';

import { baseName } from '../../../core/path';
import { binaryFiles } from '../../binary';
import { infoOf, textOf, toItem } from '../items';
import { asText, skillRef } from '../parameters';
import type { LibraryOperation } from '../types';

/** Puts a file beside a SKILL.md. */
export const putFile: LibraryOperation = async ({ context, itemIndex, library }) => {
	const ref = skillRef(context, itemIndex);
	const path = asText(context.getNodeParameter('path', itemIndex, ''));
	const fromBinary = context.getNodeParameter('contentFrom', itemIndex, 'text') === 'binary';
	const content = fromBinary
		? await binaryContent(context, itemIndex)
		: Buffer.from(String(context.getNodeParameter('text', itemIndex, '') ?? ''));
	return [toItem(await library.putFile(ref, path, content))];
};

/** Gives back a file as text or as binary data. */
export const getFile: LibraryOperation = async ({ context, itemIndex, library }) => {
	const path = asText(context.getNodeParameter('path', itemIndex, ''));
	const file = await library.file(skillRef(context, itemIndex), path);
	const asBinary = context.getNodeParameter('outputAs', itemIndex, 'auto') === 'binary';
	const text = asBinary ? {} : textOf(file);
	const item = toItem({ ...infoOf(file), ...text });
	if ('content' in text) return [item];
	const field = asText(context.getNodeParameter('outputField', itemIndex, 'data')) || 'data';
	const bytes = Buffer.from(file.content);
	const binary = await context.helpers.prepareBinaryData(bytes, baseName(file.path));
	return [{ ...item, binary: { [field]: binary } }];
};

/** Gives back the list of a skill's files. */
export const getFiles: LibraryOperation = async ({ context, itemIndex, library }) =>
	(await library.files(skillRef(context, itemIndex))).map((file) => toItem(infoOf(file)));

/** Removes a file, and gives back what it was. */
export const deleteFile: LibraryOperation = async ({ context, itemIndex, library }) => {
	const text = (name: string) => asText(context.getNodeParameter(name, itemIndex, ''));
	const file =
		text('fileBy') === 'id'
			? { id: text('fileId') }
			: { skill: skillRef(context, itemIndex), path: text('path') };
	return [toItem({ ...infoOf(await library.removeFile(file)), deleted: true })];
};

async function binaryContent(context: IExecuteFunctions, itemIndex: number): Promise<Uint8Array> {
	const field: unknown = context.getNodeParameter('binaryField', itemIndex, 'data');
	const [{ content }] = await binaryFiles(context, itemIndex, field);
	return content;
}
