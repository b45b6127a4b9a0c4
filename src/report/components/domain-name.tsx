import { readableDomain } from '../../model/text/readable-domain.js';
import { Foreign } from './foreign.js';

/** A domain as its readers write it and, where that is not ASCII, as DNS does. */
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
