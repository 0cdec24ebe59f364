/** What is needed to write a SKILL.md. */
export interface SkillText {
	name: string;
	description: string;
	body: string;
	license?: string;
	compatibility?: string;
	allowedTools?: string[];
	metadata?: Record<string, string>;
}

// A JSON string is a YAML double-quoted scalar; it holds any text on one line.
const quoted = (text: string) => JSON.stringify(text.toWellFormed());

/** Gives back the text of a SKILL.md. */
export function generateSkill(skill: SkillText): string {
	const { license, compatibility, allowedTools = [], metadata = {} } = skill;
	const metadataLines = Object.entries(metadata).map(
		([key, value]) => `  ${quoted(key)}: ${quoted(value)}`,
	);
	const lines = [
		'---',
		`name: ${quoted(skill.name)}`,
		`description: ${quoted(skill.description)}`,
		...(license ? [`license: ${quoted(license)}`] : []),
		...(compatibility ? [`compatibility: ${quoted(compatibility)}`] : []),
		...(allowedTools.length > 0 ? [`allowed-tools: [${allowedTools.map(quoted).join(', ')}]`] : []),
		...(metadataLines.length > 0 ? ['metadata:', ...metadataLines] : []),
		'---',
	];
	return `${lines.join('\n')}\n${skill.body}`;
}
