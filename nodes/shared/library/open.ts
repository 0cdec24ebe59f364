import type { ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';

import type { Actor, Library, LibraryDatabase } from '../../core/library/types';
import type { NodeContext } from '../context';
import { asText } from './parameters';
import { databaseOf, openDatabase } from './database';

/** Gives back the library of a node as an actor sees it. */
export async function openLibrary(
	context: NodeContext,
	itemIndex: number,
	actor: Actor,
): Promise<Library> {
	return (await databaseOf(context, itemIndex)).as(actor);
}

/** Gives back the database that a trigger watches, and its library as the trigger's user sees it. */
export async function openForPoll(
	context: IPollFunctions,
): Promise<{ database: LibraryDatabase; library: Library }> {
	const database = await openDatabase(context, context.getNodeParameter('database', 'sqlite'));
	const user = asText(context.getNodeParameter('user', '')) || null;
	const isAdministrator = context.getNodeParameter('actAsAdministrator', false) === true;
	return { database, library: database.as({ user, isAdministrator }) };
}

/** Gives back the library of a node that is being edited. */
export async function openForEditor(context: ILoadOptionsFunctions): Promise<Library> {
	const parameter = (name: string): unknown => context.getCurrentNodeParameter(name);
	const database = await openDatabase(context, parameter('database'));
	const user = asText(parameter('user'));
	// An expression that the editor could not resolve yet is nobody's name.
	const isKnown = user !== '' && !user.startsWith('=');
	const isAdministrator = parameter('actAsAdministrator') === true;
	return database.as({ user: isKnown ? user : null, isAdministrator });
}
