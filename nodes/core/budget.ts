import type { ToolNames } from './answers';
import { SHORT_DESCRIPTION_LENGTH } from './limits';
import { count, cut } from './text';
import { estimateTokens } from './tokens';

/** One skill's line of the catalog, in parts, so that its middle can be shortened. */
export interface CatalogLine {
	name: string;
	head: string;
	description: string;
	tail: string;
}

interface Budget extends ToolNames {
	/** Most estimated tokens; 0: no limit. */
	maxTokens: number;
	/** Applied to names and descriptions after they are cut, so that no entity is split. */
	escape?: (text: string) => string;
}

/**
 * Gives back the lines within the budget: in full, else with short descriptions, else names only.
 * It always says what was shortened or left out, and how to get at it.
 */
export function fitToBudget(lines: CatalogLine[], budget: Budget): string {
	const { escape = String } = budget;
	const full = lines.map((line) => line.head + escape(line.description) + line.tail).join('\n');
	if (fits(full, budget)) return full;
	return shortened(lines, budget) ?? namesOnly(lines, budget);
}

function shortened(lines: CatalogLine[], budget: Budget): string | null {
	const { escape = String } = budget;
	const long = lines.filter((line) => line.description.length > SHORT_DESCRIPTION_LENGTH);
	const short = (line: CatalogLine) => escape(cut(line.description, SHORT_DESCRIPTION_LENGTH));
	const text = lines.map((line) => line.head + short(line) + line.tail).join('\n');
	const note = `(${count(long.length, 'description')} shortened; \`${budget.prefix}search_skills\` shows them in full.)`;
	return fits(text, budget) ? `${text}\n${note}` : null;
}

function namesOnly(lines: CatalogLine[], budget: Budget): string {
	const { escape = String } = budget;
	const names = lines.map((line) => escape(line.name));
	let shown = names.length;
	while (shown > 0 && !fits(names.slice(0, shown).join(', '), budget))
		shown = Math.floor(shown * 0.9);
	const left = names.length - shown;
	const leftOut = left > 0 ? ` and ${count(left, 'whole skill')}` : '';
	return `${names.slice(0, shown).join(', ')}\n(All ${count(names.length, 'description')}${leftOut} left out; find skills with \`${budget.prefix}search_skills\`.)`;
}

function fits(text: string, { maxTokens }: Budget): boolean {
	return maxTokens <= 0 || estimateTokens(text) <= maxTokens;
}
