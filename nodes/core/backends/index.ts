export {
	createArchiveBackend,
	createRemoteArchiveBackend,
	type ArchiveAddress,
	type ArchiveFile,
} from './archive';
export { createDataBackend, type DataFile } from './data';
export { createFilesystemBackend, type FileAccess } from './filesystem';
export { createGithubBackend, type GithubOptions } from './github';
export { createLibraryBackend, type LibraryOptions } from './library';
export { createMcpBackend, type McpOptions } from './mcp';
export { createWebsiteBackend, type WebsiteOptions } from './website';
