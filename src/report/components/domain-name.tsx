import { readableDomain } from '../../model/text/readable-domain.js';
import { Foreign } from './foreign.js';

/** A domain in Unicode and, if it differs, in ASCII. */
export function DomainName({ name }: { name: string }) {
  const readable = readableDomain(name);
  return (
    <>
      <Foreign text={readable} />
      {readable !== name && (
        <>
          {' '}
          <span class="muted small">{name}</span>
        </>
      )}
    </>
  );
}
