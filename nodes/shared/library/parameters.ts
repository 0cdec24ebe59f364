import { LibraryError, type SkillQuery, type SkillRef } from '../../core/library/types';
import { patternList } from '../../core/pattern';
import { echo } from '../../core/text';
import type { NodeContext } from '../context';
import { timeIn } from './zone';

/** What knows the time zone of the workflow. */
type TimeContext = Pick<NodeContext, 'getTimezone'>;

/** Which skill a resource locator names; a plain text is a name. */
interface Locator {
	mode?: string;
	value?: unknown;
}

/** Gives back the skill that the parameter "Skill" means. */
export function skillRef(context: NodeContext, itemIndex: number): SkillRef {
	const parameter: unknown = context.getNodeParameter('skill', itemIndex, '');
	const { mode = 'name', value } = (
		typeof parameter === 'object' && parameter !== null ? parameter : { value: parameter }
	) as Locator;
	const text = asText(value);
	if (text === '') {
		throw new LibraryError('invalid', 'No skill is chosen.', 'Choose one at "Skill".');
	}
	return mode === 'name' ? { name: text } : { id: text };
}

/** Gives back names from text with commas, or from a list that an expression gave. */
export function nameList(value: unknown): string[] {
	if (Array.isArray(value)) return value.map(asText).filter((name) => name !== '');
	return patternList(asText(value));
}

/** The filters of the node, as they come from n8n. */
interface Filters {
	changedSince?: unknown;
	names?: unknown;
	ownOnly?: boolean;
	owner?: unknown;
	tags?: unknown;
	visibility?: 'any' | NonNullable<SkillQuery['visibility']>;
}

/** Gives back the query that the parameter "Filters" means. */
export function queryOf(context: TimeContext, filters: unknown): SkillQuery {
	const { changedSince, names, ownOnly, owner, tags, visibility } = (filters ?? {}) as Filters;
	const [nameFilter, tagFilter] = [nameList(names), nameList(tags)];
	return {
		...(nameFilter.length > 0 ? { names: nameFilter } : {}),
		...(tagFilter.length > 0 ? { tags: tagFilter } : {}),
		...(asText(owner) === '' ? {} : { ownerId: asText(owner) }),
		...(ownOnly ? { ownOnly } : {}),
		...(visibility === undefined || visibility === 'any' ? {} : { visibility }),
		...timeField(context, 'changedSince', changedSince),
	};
}

/** Gives back a time of the node as ISO 8601 under a key; nothing when it is empty. */
export function timeField<Key extends string>(
	context: TimeContext,
	key: Key,
	value: unknown,
): { [K in Key]?: string } {
	if (value === undefined || value === null || value === '') return {};
	const date =
		typeof value === 'number' || value instanceof Date
			? new Date(value)
			: // The editor gives what was picked there without a zone.
				timeIn(context.getTimezone(), String(value));
	if (Number.isNaN(date.getTime())) {
		throw new LibraryError('invalid', `"${echo(value)}" is no date.`, 'Give it as 2026-01-31.');
	}
	return { [key]: date.toISOString() } as { [K in Key]?: string };
}

/** Gives back text or a number as trimmed text, all else as none. */
export function asText(value: unknown): string {
	if (typeof value === 'string') return value.trim();
	return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}
