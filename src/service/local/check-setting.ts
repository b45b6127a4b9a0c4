import { readUserLists } from '../../engine/lists/user-lists.js';
import { parseResolver } from '../../net/dns/resolver-address.js';
import { readReplyRules } from '../../net/replies/match-phrase.js';
import type { SettingField } from '../../settings/definitions.js';

/** What is well spelled may still be of no use to the engine: a Failure for a resolver or a file that it cannot use. */
export async function checkSetting(field: SettingField, value: unknown): Promise<void> {
  if (field === 'resolvers') for (const resolver of value as readonly string[]) parseResolver(resolver);
  if (field === 'allowList' || field === 'denyList') await readUserLists({ allowFile: value as string });
  if (field === 'replyRules') await readReplyRules(value as string);
}
