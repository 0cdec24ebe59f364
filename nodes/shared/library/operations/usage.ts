import type { UsageQuery } from '../../../core/library/types';
import { toItem } from '../items';
import { skillRef, timeField } from '../parameters';
import type { LibraryOperation } from '../types';

/** Gives back how often skills were loaded. */
export const getUsage: LibraryOperation = async ({ context, itemIndex, library }) => {
	const ofOne = context.getNodeParameter('usageOf', itemIndex, 'all') === 'one';
	const records = await library.usage({
		by: context.getNodeParameter('countBy', itemIndex, 'total') as UsageQuery['by'],
		...(ofOne ? { ref: skillRef(context, itemIndex) } : {}),
		...timeField(context, 'since', context.getNodeParameter('since', itemIndex, '')),
	});
	return records.map(toItem);
};
