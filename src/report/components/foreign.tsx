import { safeText } from '../../model/text/safe-text.js';

/** Text that somebody else wrote: it neither reorders what stands around it nor passes for something else. */
export function Foreign({ text, class: className }: { text: string; class?: string }) {
  return <bdi class={className}>{safeText(text)}</bdi>;
}
