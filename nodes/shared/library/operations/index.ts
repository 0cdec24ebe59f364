import type { LibraryOperation } from '../types';
import { deleteFile, getFile, getFiles, putFile } from './files';
import { formatContent, formatFolder, formatSkills } from './formats';
import {
	createSkill,
	deleteSkill,
	generateSkillFile,
	getSkill,
	getSkills,
	updateSkill,
	validateSkill,
} from './skills';
import { syncToFolder } from './sync';
import { exportAll, importAll } from './transfer';
import { getUsage } from './usage';
import { compareVersions, getVersions, restoreVersion } from './versions';

/** All operations by the values of "Resource" and "Operation"; a new one is one line here. */
export const OPERATIONS: Record<string, LibraryOperation> = {
	'skill:create': createSkill,
	'skill:delete': deleteSkill,
	'skill:generate': generateSkillFile,
	'skill:get': getSkill,
	'skill:getAll': getSkills,
	'skill:update': updateSkill,
	'skill:validate': validateSkill,
	'file:delete': deleteFile,
	'file:get': getFile,
	'file:getAll': getFiles,
	'file:put': putFile,
	'version:compare': compareVersions,
	'version:getAll': getVersions,
	'version:restore': restoreVersion,
	'format:content': formatContent,
	'format:list': formatSkills,
	'format:tree': formatFolder,
	'sync:toFolder': syncToFolder,
	'transfer:export': exportAll,
	'transfer:import': importAll,
	'usage:getAll': getUsage,
};
