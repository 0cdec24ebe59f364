import { messageOf, SkillError } from '../errors';
import { HttpFailure } from '../http';
import type { ReadErrorCode, ReadResult } from '../types';
import { McpAbsent } from './types';

/** Gives back the refusal of a file that is larger than was asked for. */
export function tooLarge(path: string, size: number, maxBytes: number): ReadResult {
	return refusal(path, 'too_large', `the file has ${size} bytes, more than ${maxBytes}`);
}

/** Gives back what an error means for one file. */
export function failure(path: string, error: unknown): ReadResult {
	const message = messageOf(error);
	if (error instanceof McpAbsent) return refusal(path, 'not_found', message);
	if (error instanceof HttpFailure && error.kind === 'too_large') {
		return refusal(path, 'too_large', message);
	}
	const isDenied = error instanceof SkillError && error.code === 'source-denied';
	return refusal(path, isDenied ? 'access_denied' : 'unreadable', message);
}

/** Gives back why a file was not read. */
export function refusal(path: string, error: ReadErrorCode, message: string): ReadResult {
	return { path, error, message };
}
