export { createDataBackend, type DataFile } from './data';
export { createFilesystemBackend, type FileAccess } from './filesystem';
