import type { Package } from '../../engine/support/host';

import { clearRegistryCache } from '../../../nodes/core/registry';
import { clearRemoteCache } from '../../../nodes/core/remote';
import { clearLiveState } from '../../../nodes/shared/state';
import { SkillCatalogPrompt } from '../../../nodes/SkillCatalogPrompt/SkillCatalogPrompt.node';
import { SkillLibrary } from '../../../nodes/SkillLibrary/SkillLibrary.node';
import { SkillLibraryTrigger } from '../../../nodes/SkillLibraryTrigger/SkillLibraryTrigger.node';
import { SkillLoaderTool } from '../../../nodes/SkillLoaderTool/SkillLoaderTool.node';
import { SkillsSource } from '../../../nodes/SkillsSource/SkillsSource.node';

/** Gives back the package from its sources, so that what runs counts as covered. */
export function sourcePackage(): Package {
	return {
		nodes: [
			new SkillsSource(),
			new SkillCatalogPrompt(),
			new SkillLoaderTool(),
			new SkillLibrary(),
			new SkillLibraryTrigger(),
		],
		forgetEverything() {
			clearLiveState();
			clearRegistryCache();
			clearRemoteCache();
		},
	};
}
