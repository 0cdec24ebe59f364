import { DONE, load, openBench } from './support/bench';
import type { Bench, Conversation } from './support/bench';
import { createSkillFolder } from './support/skills';
import type { SkillFolder } from './support/skills';

let bench: Bench;
let skills: SkillFolder;
let chat: Conversation;

beforeAll(async () => {
	bench = await openBench();
});

afterAll(async () => {
	await bench.close();
});

describe.each([1.9, 2.2, 3.1])(
	'skills that change between two messages, AI Agent %d',
	(version) => {
		beforeEach(async () => {
			skills = createSkillFolder();
			skills.write('onboarding', 'Onboards a customer.', 'Old rule: send a letter.');
			chat = await bench.start({ version, skillsPath: skills.path });
		});

		it('offers a skill that was added', async () => {
			const before = await chat.say('hello', [DONE]);
			expect(before.system).not.toContain('refunds');
			skills.write('refunds', 'Handles refunds.', 'Refund rule: ask for the receipt.');
			const after = await chat.say('refund please', [load('refunds'), DONE]);
			expect(after.system).toContain('**refunds**: Handles refunds.');
			expect(after.results[0]).toContain('Refund rule: ask for the receipt.');
		});

		it('delivers the new instructions of a loaded skill that was edited, and says so', async () => {
			await chat.say('onboard them', [load('onboarding'), DONE]);
			skills.write('onboarding', 'Onboards a customer well.', 'New rule: call them.');
			const after = await chat.say('next', [DONE]);
			expect(after.system).toContain('Onboards a customer well.');
			expect(after.system).toContain('New rule: call them.');
			expect(after.system).not.toContain('Old rule');
			expect(after.system).toContain('has changed since it was loaded');
		});

		it('no longer offers a skill that was deleted, loaded or not', async () => {
			await chat.say('onboard them', [load('onboarding'), DONE]);
			skills.write('refunds', 'Handles refunds.', 'Refund rule.');
			skills.remove('onboarding');
			const after = await chat.say('next', [load('onboarding'), DONE]);
			expect(after.system).not.toContain('**onboarding**');
			expect(after.system).not.toContain('Old rule');
			expect(after.results[0]).toContain('not found');
		});
	},
);
