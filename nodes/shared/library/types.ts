import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Actor, Library } from '../../core/library/types';

/** One operation for one item: where its parameters are, and the library as the user sees it. */
export interface LibraryCall {
	context: IExecuteFunctions;
	itemIndex: number;
	actor: Actor;
	library: Library;
}

/** Does an operation and gives back what the node outputs for the item. */
export type LibraryOperation = (call: LibraryCall) => Promise<INodeExecutionData[]>;
