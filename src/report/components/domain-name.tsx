import { readableDomain } from '../../model/text/readable-domain.js';
import { safeText } from '../../model/text/safe-text.js';

/** A domain in Unicode and, if it differs, in ASCII. */
export function DomainName({ name }: { name: string }) {
  const readable = readableDomain(name);
  return (
    <>
      <UntrustedText text={readable} />
      {readable !== name && (
        <>
          {' '}
          <span class="muted small">{name}</span>
        </>
      )}
    </>
  );
}

/** Text from outside, isolated from the text direction around it. */
export function UntrustedText({ text, class: className }: { text: string; class?: string }) {
  return <bdi class={className}>{safeText(text)}</bdi>;
}
