/**
 * Every limit of the package. Where the Agent Skills specification sets the number, the comment
 * links its section: https://agentskills.io/specification
 */

const KIB = 1024;
const MIB = 1024 * KIB;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Longest skill name (specification#name-field). */
export const MAX_NAME_LENGTH = 64;
/** Longest description (specification#description-field). */
export const MAX_DESCRIPTION_LENGTH = 1024;
/** Longest compatibility note (specification#compatibility-field). */
export const MAX_COMPATIBILITY_LENGTH = 500;
/** Longest licence text that is shown; longer ones belong into a file of the skill. */
export const MAX_LICENSE_LENGTH = 200;
/** Most tools that `allowed-tools` may recommend. */
export const MAX_ALLOWED_TOOLS = 50;
/** Most keys of `metadata` that are kept. */
export const MAX_METADATA_KEYS = 100;
/** Longest value of a `metadata` key that is kept. */
export const MAX_METADATA_VALUE_LENGTH = 1000;

/** Largest SKILL.md that is read. */
export const MAX_SKILL_FILE_BYTES = 10 * MIB;
/** Largest frontmatter that is given to the YAML parser. */
export const MAX_FRONTMATTER_BYTES = 16 * KIB;
/** The part of a SKILL.md in which its header is looked for first; nearly all fit into it. */
export const HEAD_BYTES = 2 * KIB;
/** Most YAML alias expansions in one frontmatter. */
export const MAX_YAML_ALIASES = 50;
/** Deepest nesting of a frontmatter that is given to the YAML parser. */
export const MAX_YAML_NESTING = 64;
/** Largest file that `read_skill_file` opens. */
export const MAX_RESOURCE_FILE_BYTES = 10 * MIB;
/** What `read_skill_file` returns in one call unless the model asks for less. */
export const READ_BYTES_PER_CALL = 64 * KIB;
/** Most files of one `read_skill_file` call. */
export const MAX_PATHS_PER_READ = 20;
/** Longest path that is accepted anywhere. */
export const MAX_PATH_LENGTH = 1024;

/** How many folders below a source skills are looked for. */
export const MAX_DISCOVERY_DEPTH = 4;
/** Most folders that are looked at in one source. */
export const MAX_FOLDERS_PER_SOURCE = 2000;
/** Most sources of one Skills Source. */
export const MAX_SOURCES = 50;
/** Deepest chain of Skills Sources through "Base Skills". */
export const MAX_BASE_LAYERS = 20;
/** Most files, or folders, of one source of which the process remembers how the disk described them. */
export const MAX_LOOKS_PER_SOURCE = 10_000;
/** So long the disk is asked before other work of n8n gets its turn. */
export const MAX_BUSY_MS = 10;
/** What changed less than this ago is looked at again: the disk's clock may tick as slowly. */
export const RACY_MS = 100;
/** The same on a disk that counts whole seconds, or two. */
export const RACY_SECONDS_MS = 2500;
/** Most skills that are exchanged in a list one by one; above that it is made anew. */
export const MAX_REPLACED_SKILLS = 20;
/** So many SKILL.md files are each looked at for links; for more it is done once for all. */
export const FEW_HEADS = 4;
/** Most SKILL.md files that are open at the same time for a look at their heads. */
export const MAX_OPEN_HEADS = 32;
/** How many SKILL.md files are read before they are parsed and let go. */
export const FILES_PER_READ = 100;
/** How many folders are listed, or files read, at the same time. */
export const MAX_PARALLEL_READS = 32;
/** Most resources that `load_skill` lists. */
export const MAX_LISTED_RESOURCES = 100;
/** Most sources whose parsed skills the process remembers. */
export const MAX_CACHED_SOURCES = 64;
/** Most parsed skills that the process remembers, of all sources; about 2 KiB each. */
export const MAX_CACHED_SKILLS = 50_000;

/** Most skills or files that workflow data may bring. */
export const MAX_DATA_FILES = 2000;
/** Most bytes that workflow data may bring. */
export const MAX_DATA_BYTES = 50 * MIB;

/** How long one exchange with a server may take, its body included. */
export const HTTP_TIMEOUT_MS = 10_000;
/** How often a request is tried again after 429, 5xx or a broken connection. */
export const HTTP_MAX_RETRIES = 2;
/** Pause before the first retry; it doubles with each. */
export const HTTP_RETRY_BASE_MS = 300;
/** A server that asks for a longer pause is not asked again in this run. */
export const HTTP_RETRY_MAX_MS = 5_000;
/** Most redirects of one request. */
export const HTTP_MAX_REDIRECTS = 5;
/** Most requests to one place at the same time. */
export const HTTP_PARALLEL_REQUESTS = 4;
/** Largest index, listing or other answer that is no file. */
export const MAX_INDEX_BYTES = 10 * MIB;
/** Most skills that one index may list. */
export const MAX_INDEXED_SKILLS = 2000;
/** Default of "Check for Changes Every", in seconds. */
export const DEFAULT_REFRESH_SECONDS = 60;
/** GitHub is asked for changes at most so often: one look at a repository is many calls to it. */
export const GITHUB_MIN_REFRESH_MS = 1_000;
/** How long GitHub is left alone when it limits us without saying for how long. */
export const GITHUB_PAUSE_MS = 60_000;
/** How long GitHub is left alone at most, whatever it says; its own windows are an hour. */
export const GITHUB_MAX_PAUSE_MS = 2 * 60 * 60 * 1000;
/** Room for an answer that says why there is no file, however small the file is. */
export const MIN_ANSWER_BYTES = 64 * KIB;
/** Largest `.claude-plugin/marketplace.json` that is read. */
export const MAX_MARKETPLACE_BYTES = MIB;
/** A place that failed is not asked again for so long. */
export const FAILURE_PAUSE_MS = 10_000;
/** Most places whose last answer the process remembers. */
export const MAX_REMOTE_PLACES = 64;
/** Largest answer of an MCP server: a file of the largest size in Base64, and what is around it. */
export const MAX_MCP_ANSWER_BYTES = 16 * MIB;
/** Most bytes of all pages of one answer of an MCP server. */
export const MAX_MCP_TOTAL_BYTES = 32 * MIB;
/** How long an MCP server may take for one request, with all retries. */
export const MCP_TIMEOUT_MS = 35_000;
/** Most pages of an MCP server's list of skills. */
export const MAX_MCP_PAGES = 100;
/** Most bytes of fetched files that the process remembers. */
export const MAX_BLOB_BYTES = 64 * MIB;

/** Largest archive that is opened. */
export const MAX_ARCHIVE_BYTES = 50 * MIB;
/** Most bytes that an archive may unpack to. */
export const MAX_UNPACKED_BYTES = 100 * MIB;
/** Most entries of an archive. */
export const MAX_ARCHIVE_ENTRIES = 5000;
/** Highest ratio of unpacked to packed bytes; above it an archive is a bomb. */
export const MAX_COMPRESSION_RATIO = 200;
/** An archive that unpacks to no more than this is no bomb, whatever its ratio. */
export const COMPRESSION_RATIO_FLOOR_BYTES = MIB;

/** Default of "Max Loaded Skills". */
export const DEFAULT_MAX_LOADED_SKILLS = 10;
/** Most names that `load_skill` lists as an enum. */
export const MAX_ENUM_NAMES = 100;
/** Most names that an answer of a tool lists. */
export const MAX_NAMES_IN_ANSWER = 50;
/** Most hits of one `search_skills` call. */
export const MAX_SEARCH_RESULTS = 20;
/** Longest query of `search_skills`. */
export const MAX_QUERY_LENGTH = 500;
/** Most problems with the model's arguments that an answer names. */
export const MAX_ARGUMENT_PROBLEMS = 5;
/** Longest part of the model's own input that an answer repeats. */
export const MAX_ECHO_LENGTH = 80;

/** Default size of the catalog, in estimated tokens, before descriptions are shortened. */
export const DEFAULT_CATALOG_TOKENS = 20000;
/** Length of a shortened description. */
export const SHORT_DESCRIPTION_LENGTH = 80;
/** Characters of Latin text that make about one token. */
export const CHARS_PER_TOKEN = 4;
/** Most load warnings that the prompt shows. */
export const MAX_PROMPT_WARNINGS = 5;
/** Longest load warning that the prompt shows. */
export const MAX_PROMPT_WARNING_LENGTH = 200;
/** Most diagnostics that a node's output lists. */
export const MAX_REPORTED_DIAGNOSTICS = 50;
/** Most skill names that a node's output lists. */
export const MAX_REPORTED_NAMES = 100;
/** Most diagnostics that one hint names. */
export const MAX_HINT_DIAGNOSTICS = 3;

/** Largest loaded state in the workflow's static data. */
export const MAX_STATE_BYTES = 100 * 1000;
/** Most sessions in the loaded state. */
export const MAX_SESSIONS = 500;
/** A session that was not touched for so long is dropped. */
export const SESSION_IDLE_MS = 30 * DAY_MS;
/** A read renews a session's age at most so often, to spare writes. */
export const SESSION_TOUCH_MS = 60 * 60 * 1000;
/** A longer session key is stored as its hash. */
export const MAX_SESSION_KEY_LENGTH = 128;
/** Most loaded skills that one session remembers, whatever the budget says. */
export const MAX_LOADED_PER_SESSION = 1000;
/** Most resources that the state remembers of one loaded skill. */
export const MAX_STATE_RESOURCES = 20;
/** Longest name under which the state knows a Skills Source. */
export const MAX_ORIGIN_LENGTH = 16;
/** Longest path of a resource that the state remembers; longer ones are left out of it. */
export const MAX_STATE_PATH_LENGTH = 200;
/** Most workflows whose live state the process keeps. */
export const MAX_LIVE_WORKFLOWS = 1000;
/** So many executions of a workflow, and the process forgets those that have ended. */
export const COPIES_BETWEEN_SWEEPS = 100;
/** Within one execution the sources are not looked at again for so long. */
export const EXECUTION_SNAPSHOT_MS = 1000;
/** Most executions of which the process remembers what was already said. */
export const MAX_REMEMBERED_EXECUTIONS = 500;

/** A shared log of loaded skills with more entries than this is compacted. */
export const MAX_LOG_ENTRIES = 100;
/** One wish in so many to compact is followed at once: many at a time would only wait in turn. */
export const COMPACTION_ODDS = 4;
/** A process that has not begun to clear a log so long after it announced it does not do so. */
export const COMPACT_WITHIN_MS = 500;
/** How long a writer waits for an announced compaction; well above `COMPACT_WITHIN_MS`. */
export const COMPACTION_GRACE_MS = 5_000;
/** An announcement of this age is left from a process that was killed. */
export const COMPACTION_DEAD_MS = 30_000;
/** Pause between two looks at a log that is being compacted. */
export const LOG_POLL_MS = 20;
/** How long a writer sees to it that its entry stays in the log. */
export const LOG_WRITE_MS = 15_000;
/** A log whose oldest entry is younger may just have been cleared, its snapshot still to come. */
export const COMPACT_AFTER_MS = LOG_WRITE_MS + COMPACTION_GRACE_MS;
/** For so long a snapshot names entries that are gone from the log: their writers may look for them. */
export const LOG_COVER_MS = 2 * 60 * 1000;
/** Longest pause before an entry that is not in the log is added again; it doubles up to this. */
export const LOG_REPEAT_MAX_MS = 1_000;
/** How long the store of a shared log may take for one answer. */
export const SHARED_STATE_TIMEOUT_MS = 5_000;
/** An answer of that store that took longer than this is slow. */
export const SHARED_STATE_SLOW_MS = 500;
/** Slow answers may take so long in one execution, all together; then the store counts as down. */
export const SHARED_STATE_SLOW_TOTAL_MS = 15_000;
/** A store that was slow to fail is not asked again by this process for so long. */
export const SHARED_STATE_PAUSE_MS = 10_000;
/** Most stores of which the process remembers that they were slow to fail. */
export const MAX_REMEMBERED_STORES = 1000;
/** Most earlier versions of a skill that the library keeps. */
export const MAX_LIBRARY_VERSIONS = 20;
/** Most changes that the library remembers for those who ask what changed. */
export const MAX_LIBRARY_CHANGES = 10_000;
/** Most changes that are read at once, and that one call gives back unless it asks for fewer. */
export const LIBRARY_CHANGES_PER_READ = 500;
/** A trigger of the library that did not poll for so long is forgotten, and would start anew. */
export const POSITION_IDLE_MS = 90 * DAY_MS;
/** A trigger without news says so often that it is still there, to spare writes. */
export const POSITION_TOUCH_MS = DAY_MS;
/** Most files of one skill in the library. */
export const MAX_LIBRARY_FILES = 2000;
/** Most bytes of one skill in the library, all its files together. */
export const MAX_LIBRARY_SKILL_BYTES = 100 * MIB;
/** Most tags of one skill. */
export const MAX_TAGS = 50;
/** Longest tag. */
export const MAX_TAG_LENGTH = 64;
/** Longest name of a user of the library. */
export const MAX_USER_LENGTH = 255;
/** Loads are counted by day for so many days. */
export const MAX_USAGE_DAYS = 730;
/** The part of a skill's text in which the library finds words; Postgres indexes at most 1 MiB. */
export const SEARCHED_TEXT_LENGTH = 100_000;
/** Longest word that the library tells from others. */
export const MAX_WORD_LENGTH = 64;
/** Most words of one search in the library. */
export const MAX_SEARCH_WORDS = 32;
/** Most rows that one INSERT brings. */
export const ROWS_PER_INSERT = 100;
/** An INSERT takes no further row once it holds so many bytes. */
export const BYTES_PER_INSERT = 8 * MIB;
/** How long the library waits for another process that writes to the same SQLite file. */
export const SQLITE_BUSY_MS = 30_000;
/** Longest pause before a busy SQLite file is tried again. */
export const SQLITE_BUSY_PAUSE_MS = 50;
/** Most SQL statements that are kept prepared. */
export const MAX_PREPARED_STATEMENTS = 100;
/** Most libraries that the process keeps open. */
export const MAX_OPEN_LIBRARIES = 16;
/** Most connections of this process to one Postgres database. */
export const POSTGRES_MAX_CONNECTIONS = 5;
/** How long a connection to Postgres may take, waiting for a free one included. */
export const POSTGRES_CONNECT_MS = 10_000;
/** How long one statement may take in Postgres, waiting for another writer included. */
export const POSTGRES_STATEMENT_MS = 60_000;
/** A connection to Postgres that was not used for so long is closed. */
export const POSTGRES_IDLE_MS = 30_000;
/** How many folders below a skill its files are looked for. */
export const MAX_SKILL_DEPTH = 16;
/** Deepest nesting of the extra fields of a skill in the library. */
export const MAX_EXTRAS_NESTING = 16;
/** How often a listing of several pages is begun again because the library changed meanwhile. */
export const MAX_LISTINGS = 5;
/** Most folders whose manifest of a sync the process remembers. */
export const MAX_SYNCED_FOLDERS = 16;
/** How long a sync waits for another one at the same folder. */
export const SYNC_LOCK_WAIT_MS = 60_000;
/** How often a waiting sync looks again. */
export const SYNC_LOCK_POLL_MS = 20;
/** How often a sync that holds the lock of a folder gives a sign of life. */
export const SYNC_LOCK_BEAT_MS = 2_000;
/** A sync of which a waiting one saw no sign of life for so long is taken for dead. */
export const SYNC_LOCK_STALE_MS = 20_000;
/** Of several that take over a dead sync's lock at once, the last one is known after so long. */
export const SYNC_LOCK_SETTLE_MS = 200;
/** Longest name of a folder, in bytes of UTF-8: no usual disk takes more. */
export const MAX_FOLDER_NAME_BYTES = 255;
/** Files that a sync replaced stay so long for those who are reading them. */
export const SYNC_GRACE_MS = 60_000;
/** Most edits between two texts that are looked for one by one; its square is the work. */
export const MAX_DIFF_EDITS = 1000;
/** How many unchanged lines are shown around a change. */
export const DIFF_CONTEXT_LINES = 3;
/** Most views of libraries (a user with tags and names) of which the process remembers the list. */
export const MAX_LIBRARY_VIEWS = 64;
/** So many skills a sync looks at before other work of n8n gets its turn. */
export const SKILLS_BETWEEN_PAUSES = 200;
/** How many skills the editor offers to choose from at a time. */
export const SKILLS_IN_CHOICE = 50;
/** A long import or sync says so often in the log how far it is. */
export const PROGRESS_LOG_MS = 5_000;
