import type { IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';

/** The two contexts in which our nodes run; both offer what we need. */
export type NodeContext = IExecuteFunctions | ISupplyDataFunctions;

/** Name of the package, which n8n puts before the type name of each node. */
export const PACKAGE_NAME = 'n8n-nodes-agent-skills';

/** Full type name of the Skills Source node, as the editor's filters want it. */
export const SKILLS_SOURCE_TYPE = `${PACKAGE_NAME}.skillsSource`;
/** Full type name of the Skill Catalog Prompt node. */
export const CATALOG_PROMPT_TYPE = `${PACKAGE_NAME}.skillCatalogPrompt`;
/** Full type name of the Skill Loader Tool node. */
export const LOADER_TYPE = `${PACKAGE_NAME}.skillLoader`;
/** Full type name of the Skill Library node. */
export const LIBRARY_TYPE = `${PACKAGE_NAME}.skillLibrary`;
