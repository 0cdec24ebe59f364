/** A file of a skill, as the server vouches for it. */
export interface McpFile {
	uri: string;
	digest: string;
	size: number;
}

/** An entry of `skills/list` or `skills/get`; a dynamic skill has no list of files. */
export interface McpSkill {
	uri: string;
	frontmatter: { name: string; description: string; [field: string]: unknown };
	resources: McpFile[] | 'dynamic';
}

/** The skills that a server lists, and the entries that are not to the rules. */
export interface McpListing {
	skills: McpSkill[];
	invalid: Array<{ uri?: string; reason: string }>;
}

/** A server with the skills extension, for as long as it is not closed. */
export interface McpServer {
	list(): Promise<McpListing>;
	get(uri: string): Promise<McpSkill>;
	/** Gives back a file as the entry promised it; it throws `digest-mismatch` for another one. */
	read(skill: McpSkill, uri: string): Promise<Uint8Array>;
	/** Gives back what a folder holds, null where the server does not tell. */
	children(uri: string): Promise<Array<{ uri: string; isDirectory: boolean }> | null>;
	close(): Promise<void>;
}

/** What was asked for is not there. */
export class McpAbsent extends Error {}
