import { createWebsiteBackend } from '../../core/backends';
import { parseUrl } from '../../core/http';
import { DEFAULT_REFRESH_SECONDS } from '../../core/limits';
import { httpAccess } from '../http';
import type { OpenSource } from './types';

/** Opens the skills that a website publishes. */
export const openWebsite: OpenSource = async (context, itemIndex, options) => {
	const url = String(context.getNodeParameter('websiteUrl', itemIndex, ''));
	const { hostname } = parseUrl(url);
	const { refreshSeconds = DEFAULT_REFRESH_SECONDS, label = '' } = options;
	const backend = createWebsiteBackend({
		url,
		refreshMs: refreshSeconds * 1000,
		...(await httpAccess(context, itemIndex, url)),
	});
	return { backend, sources: [{ path: '/', label: label.trim() || hostname }] };
};
