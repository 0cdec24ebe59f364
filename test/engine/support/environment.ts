import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folder of this test file's process that n8n lets nodes read; everything temporary lies in it. */
export const ALLOWED_FOLDER = realpathSync(mkdtempSync(join(tmpdir(), 'agent-skills-engine-')));

// n8n-core reads these while it loads, so this module is imported before it.
process.env.N8N_USER_FOLDER = join(ALLOWED_FOLDER, 'n8n-user');
process.env.N8N_ENCRYPTION_KEY = 'only-for-tests';
process.env.N8N_RESTRICT_FILE_ACCESS_TO = ALLOWED_FOLDER;
process.env.N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS = 'false';
process.env.N8N_SKILLS_DIRS = '';
process.env.N8N_LOG_LEVEL = 'silent';

afterAll(() => rmSync(ALLOWED_FOLDER, { recursive: true, force: true }));
