import { createMcpBackend } from '../../core/backends';
import { parseUrl } from '../../core/http';
import { DEFAULT_REFRESH_SECONDS } from '../../core/limits';
import { httpAccess } from '../http';
import type { OpenSource } from './types';

/** Opens the skills of an MCP server. */
export const openMcp: OpenSource = async (context, itemIndex, options) => {
	const text = (name: string) => String(context.getNodeParameter(name, itemIndex, '') ?? '');
	const url = text('mcpUrl');
	const { hostname } = parseUrl(url);
	const uris = text('mcpSkillUris').split(/[\s,]+/);
	const { refreshSeconds = DEFAULT_REFRESH_SECONDS, label = '' } = options;
	const backend = createMcpBackend({
		url,
		refreshMs: refreshSeconds * 1000,
		uris: uris.filter((uri) => uri !== ''),
		...(await httpAccess(context, itemIndex, url)),
	});
	return { backend, sources: [{ path: '/', label: label.trim() || hostname }] };
};
