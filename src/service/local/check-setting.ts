import { readUserLists } from '../../engine/lists/user-lists.js';
import { parseResolverHost } from '../../net/dns/resolver-address.js';
import { readReplyRules } from '../../net/replies/match-phrase.js';
import type { SettingField } from '../../settings/definitions.js';

/** Throws a Failure for a resolver or a file that the engine cannot use. */
export async function checkSetting(field: SettingField, value: unknown): Promise<void> {
  if (field === 'resolvers') for (const resolver of value as readonly string[]) parseResolverHost(resolver);
  if (field === 'allowList' || field === 'denyList') await readUserLists({ allowFile: value as string });
  if (field === 'replyRules') await readReplyRules(value as string);
}
