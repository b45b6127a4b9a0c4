import type { ComponentChildren } from 'preact';

/** A section with a heading. */
export function Panel({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="panel">
      {aside === undefined ? (
        <h2>{title}</h2>
      ) : (
        <div class="apart">
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

interface TableProps {
  /** For screen readers. */
  about: string;
  head?: ComponentChildren;
  /** Stacks the cells on a narrow screen. */
  stacks?: boolean;
  /** Lets a menu overflow the table. */
  roomy?: boolean;
  id?: string;
  children: ComponentChildren;
}

/** A table that scrolls horizontally if it is too wide. */
export function Table({ about, head, stacks = false, roomy = false, id, children }: TableProps) {
  return (
    <div class={roomy ? 'wide roomy' : 'wide'}>
      <table {...(id !== undefined && { id })} {...(stacks && { class: 'stacks' })}>
        <caption class="unseen">{about}</caption>
        {head !== undefined && (
          <thead>
            <tr>{head}</tr>
          </thead>
        )}
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
