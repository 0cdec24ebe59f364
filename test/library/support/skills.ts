import type { NewSkill } from '../../../nodes/core/library/types';

/** Gives back text as the content of a file. */
export const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Gives back the content of a file as text. */
export const text = (content: Uint8Array): string => Buffer.from(content).toString();

/** Gives back what is needed to make a skill; tests change what they are about. */
export function newSkill(name: string, more: Partial<NewSkill> = {}): NewSkill {
	return { name, description: `What ${name} does`, content: `# ${name}\n\nDo it.\n`, ...more };
}
