export { createScriptedModel } from './model/scripted';
export type { Script, ScriptedModel } from './model/scripted';
export { MODEL_NAME, startModelServer } from './model/server';
export type { ModelServer } from './model/server';
export { standInTurn } from './model/stand-in';
export { plainResult, systemText, textOf } from './model/wire';
export type { ChatRequest, Message, Tool, ToolCall, Turn } from './model/wire';
