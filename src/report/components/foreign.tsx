import { safeText } from '../../model/text/safe-text.js';

/** Foreign text, isolated from the text direction around it. */
export function Foreign({ text, class: className }: { text: string; class?: string }) {
  return <bdi class={className}>{safeText(text)}</bdi>;
}
