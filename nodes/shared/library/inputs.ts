import { NodeConnectionTypes, type ExpressionString } from 'n8n-workflow';

import { skillsInput } from '../skills-input';

const MAIN = JSON.stringify(NodeConnectionTypes.Main);
// Two braces in a row would end the expression.
const SKILLS = JSON.stringify(skillsInput).replaceAll('}}', '} }');

/** The inputs of Skill Library: one for a Skills Source only when skills are imported from one. */
export const libraryInputs: ExpressionString = `={{ $parameter["resource"] === "transfer" && $parameter["operation"] === "import" && $parameter["importFrom"] === "source" ? [${MAIN}, ${SKILLS}] : [${MAIN}] }}`;
