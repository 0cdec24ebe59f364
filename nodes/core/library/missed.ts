import type { LoggedChange } from './repository';
import { SKILL_COLUMNS, toSkill } from './rows';
import type { RunSql } from './sql';

/**
 * Gives back what the skills tell of the changes between two numbers, in order: that they were
 * made, and when they were last changed. The log has the later ones, and nobody those of skills
 * that are gone.
 */
export async function missedChanges(
	run: RunSql,
	t: string,
	after: number,
	before: number,
): Promise<LoggedChange[]> {
	const rows = await run(
		`SELECT ${SKILL_COLUMNS}, s.created_in, s.changed_in FROM ${t}skills s
		WHERE (s.created_in > $1 AND s.created_in < $2) OR (s.changed_in > $1 AND s.changed_in < $2)`,
		[after, before],
	);
	const changes = rows.flatMap((row): LoggedChange[] => {
		const skill = toSkill(row);
		const [made, last] = [Number(row.created_in), Number(row.changed_in)];
		const created: LoggedChange = { sequence: made, event: 'created', at: skill.createdAt, skill };
		const updated: LoggedChange = { sequence: last, event: 'updated', at: skill.updatedAt, skill };
		return last > made ? [created, updated] : [created];
	});
	return changes
		.filter(({ sequence }) => sequence > after && sequence < before)
		.sort((one, other) => one.sequence - other.sequence);
}
