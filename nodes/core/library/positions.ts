import { POSITION_IDLE_MS } from '../limits';
import type { SqlDatabase } from './sql';
import type { Positions } from './types';

/** Gives back up to which change each reader has got. */
export function createPositions({ read, append, dialect }: SqlDatabase): Positions {
	const t = dialect.prefix;
	return {
		of: async (reader) => {
			const [row] = await read(`SELECT sequence, polled_at FROM ${t}positions WHERE reader = $1`, [
				reader,
			]);
			if (row === undefined) return null;
			return { sequence: Number(row.sequence), polledAt: row.polled_at as string };
		},
		move: async (reader, from, to) =>
			await append(async (run) => {
				const now = Date.now();
				const values = [reader, to, new Date(now).toISOString()];
				const moved =
					from === null
						? await run(
								`INSERT INTO ${t}positions (reader, sequence, polled_at) VALUES ($1, $2, $3)
								ON CONFLICT (reader) DO NOTHING RETURNING reader`,
								values,
							)
						: await run(
								`UPDATE ${t}positions SET sequence = $2, polled_at = $3
								WHERE reader = $1 AND sequence = $4 RETURNING reader`,
								[...values, from],
							);
				const oldest = new Date(now - POSITION_IDLE_MS).toISOString();
				await run(`DELETE FROM ${t}positions WHERE polled_at < $1`, [oldest]);
				return moved.length > 0;
			}),
	};
}
