import { createHash } from 'node:crypto';

import type { INode } from 'n8n-workflow';

import { MAX_ORIGIN_LENGTH } from '../core/limits';
import { SKILLS_SOURCE_TYPE, type NodeContext } from './context';

/** What of a context we read besides its public methods. */
interface WithWorkflow {
	workflow?: { nodes: Record<string, INode> };
}

/** Gives back the name under which the state knows a Skills Source; renaming the node keeps it. */
export function originOf({ id, name }: Pick<INode, 'id' | 'name'>): string {
	return createHash('sha256')
		.update(id || name)
		.digest('base64url')
		.slice(0, MAX_ORIGIN_LENGTH);
}

/** Gives back the names of the other Skills Sources of the workflow. */
export function otherOrigins(context: NodeContext, own: string | undefined): string[] {
	const { workflow } = context as unknown as WithWorkflow;
	return Object.values(workflow?.nodes ?? {})
		.filter(({ type, disabled }) => type === SKILLS_SOURCE_TYPE && !disabled)
		.map(originOf)
		.filter((origin) => origin !== own);
}
