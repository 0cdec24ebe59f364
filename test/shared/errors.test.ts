import { picture } from '../engine/support/picture';
import { executeContext } from './support/contexts';

import { NodeOperationError } from 'n8n-workflow';

import { toNodeError } from '../../nodes/shared/errors';

const context = executeContext(picture(), { node: 'Catalog' });

describe('toNodeError', () => {
	it("keeps n8n's own errors as they are", () => {
		const error = new NodeOperationError(context.getNode(), 'x');
		expect(toNodeError(context, error, 0)).toBe(error);
	});

	it('names the node and the item, and escapes markup', () => {
		const error = toNodeError(context, new Error('<b>no</b>'), 3);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error.message).toBe('&lt;b&gt;no&lt;/b&gt;');
		expect(error.node.name).toBe('Catalog');
		expect(error.context.itemIndex).toBe(3);
		expect(error.description).toBeUndefined();
	});

	it('takes anything that was thrown', () => {
		expect(toNodeError(context, 'text', 0).message).toBe('text');
	});

	it('gives the advice as the description', () => {
		expect(toNodeError(context, new Error('x'), 0, 'Do "this".').description).toBe(
			'Do &quot;this&quot;.',
		);
	});
});
