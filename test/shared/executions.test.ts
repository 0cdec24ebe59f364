import { picture } from '../engine/support/picture';
import { executeContext, supplyContext } from './support/contexts';

import { MAX_REMEMBERED_EXECUTIONS } from '../../nodes/core/limits';
import {
	executionId,
	hasCatalog,
	isFirstTime,
	noteCatalog,
	noteWarning,
	takeWarnings,
} from '../../nodes/shared/executions';

const flow = picture();
const inExecution = (executionId: string) => executeContext(flow, { node: 'Catalog', executionId });
const scope = { state: 'skills', session: 'session:one' };

it('the first time is once in an execution, whichever node asks', () => {
	const supply = supplyContext(flow, { node: 'Loader', executionId: 'first-1' });
	expect(isFirstTime(inExecution('first-1'), 'x')).toBe(true);
	expect(isFirstTime(supply, 'x')).toBe(false);
	expect(isFirstTime(supply, 'y')).toBe(true);
	expect(isFirstTime(inExecution('first-2'), 'x')).toBe(true);
});

it('without an id every time is the first, and no catalog is known', () => {
	const context = inExecution('');
	noteCatalog(context, scope);
	expect(executionId(context)).toBe('');
	expect(isFirstTime(context, 'x')).toBe(true);
	expect(isFirstTime(context, 'x')).toBe(true);
	expect(hasCatalog(context, scope)).toBe(false);
});

it('without an id warnings are for the context alone that noted them', () => {
	const [one, two] = [inExecution(''), inExecution('')];
	noteWarning(one, 'x');
	noteWarning(one, 'x');
	expect(takeWarnings(two)).toEqual([]);
	expect(takeWarnings(one)).toEqual(['x']);
});

it('a catalog is known in its execution and for its scope alone', () => {
	noteCatalog(inExecution('catalog-1'), scope);
	expect(hasCatalog(inExecution('catalog-1'), scope)).toBe(true);
	expect(hasCatalog(inExecution('catalog-1'), { ...scope, state: 'other' })).toBe(false);
	expect(hasCatalog(inExecution('catalog-1'), { ...scope, session: 'session:two' })).toBe(false);
	expect(hasCatalog(inExecution('catalog-2'), scope)).toBe(false);
});

it('old executions are forgotten', () => {
	isFirstTime(inExecution('old'), 'x');
	const context = inExecution('old');
	for (let index = 0; index < MAX_REMEMBERED_EXECUTIONS; index++) {
		jest.spyOn(context, 'getExecutionId').mockReturnValueOnce(`new-${index}`);
		isFirstTime(context, 'x');
	}
	expect(isFirstTime(context, 'x')).toBe(true);
});
