import { skillOfFile } from '../../core/library/document';
import { LibraryError, type NewSkill, type SkillChanges } from '../../core/library/types';
import { echo } from '../../core/text';
import { asText, nameList } from './parameters';
import type { LibraryCall } from './types';

/** The fields as they come from n8n. */
interface TypedFields {
	name?: unknown;
	description?: unknown;
	content?: unknown;
	tags?: unknown;
	visibility?: unknown;
	extras?: unknown;
	owner?: unknown;
}

/** Gives back the new skill that the node describes. */
export function newSkillOf(call: LibraryCall): NewSkill {
	const text = (name: string) => parameterOf(call, name, '');
	const options = parameterOf(call, 'options', {}) as TypedFields;
	const visibility = text('visibility');
	if (text('defineBy') === 'skillMd') {
		return { ...fromSkillFile(call), ...ownership({ visibility, owner: options.owner }) };
	}
	return {
		name: '',
		description: '',
		content: '',
		...fieldsOf({
			...options,
			name: text('skillName'),
			description: text('skillDescription'),
			content: text('instructions'),
			tags: text('tags'),
			visibility,
		}),
	};
}

/** Gives back what the node changes of a skill. */
export function changesOf(call: LibraryCall): SkillChanges {
	if (parameterOf(call, 'defineBy', 'fields') === 'skillMd') return fromSkillFile(call);
	const changes = fieldsOf(parameterOf(call, 'changes', {}) as TypedFields);
	if (Object.keys(changes).length > 0) return changes;
	throw new LibraryError(
		'invalid',
		'Nothing is to be changed.',
		'Add what to change at "Fields to Change".',
	);
}

function parameterOf({ context, itemIndex }: LibraryCall, name: string, otherwise: unknown) {
	return context.getNodeParameter(name, itemIndex, otherwise) as unknown;
}

function fromSkillFile(call: LibraryCall): NewSkill {
	return skillOfFile(Buffer.from(String(parameterOf(call, 'newSkillMd', ''))), '/SKILL.md');
}

/** What is absent, or came out of an expression as undefined, stays absent. */
function fieldsOf({ tags, extras, visibility, owner, ...texts }: TypedFields): SkillChanges {
	const given = Object.entries(texts).filter(([, value]) => value !== undefined && value !== null);
	return {
		...Object.fromEntries(given.map(([key, value]) => [key, String(value)])),
		...(tags === undefined || tags === null ? {} : { tags: nameList(tags) }),
		...(extras === undefined || extras === '' ? {} : { extras: objectOf(extras) }),
		...ownership({ visibility, owner }),
	};
}

function ownership({ visibility, owner }: TypedFields): Pick<NewSkill, 'isPublic' | 'ownerId'> {
	// What an expression gave by mistake must neither show a skill to everybody nor hide it.
	const isGiven = visibility !== undefined && visibility !== null && visibility !== '';
	if (isGiven && !['private', 'public', 'system'].includes(visibility as string)) {
		throw new LibraryError(
			'invalid',
			`"${echo(visibility)}" is no visibility.`,
			'It is private, public or system; over HTTP is_public is true or false.',
		);
	}
	if (visibility === 'system') return { isPublic: true, ownerId: null };
	return {
		...(isGiven ? { isPublic: visibility === 'public' } : {}),
		...(asText(owner) === '' ? {} : { ownerId: asText(owner) }),
	};
}

function objectOf(value: unknown): Record<string, unknown> {
	try {
		const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
		if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
			return parsed as Record<string, unknown>;
		}
	} catch {
		// Said below, with what was found.
	}
	throw new LibraryError(
		'invalid',
		`"Further Frontmatter" is no JSON object: ${echo(value)}`,
		'Write it as {"license": "MIT"}.',
	);
}
