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
        <div class="space-between">
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

interface TableProps {
  /** Read by screen readers only. */
  caption: string;
  head?: ComponentChildren;
  /** Stacks the cells on a narrow screen. */
  stacks?: boolean;
  /** Lets a menu overflow the table. */
  allowOverflow?: boolean;
  id?: string;
  children: ComponentChildren;
}

/** A table that scrolls horizontally if it is too wide. */
export function Table({ caption, head, stacks = false, allowOverflow = false, id, children }: TableProps) {
  return (
    <div class={allowOverflow ? 'wide allow-overflow' : 'wide'}>
      <table {...(id !== undefined && { id })} {...(stacks && { class: 'stacks' })}>
        <caption class="visually-hidden">{caption}</caption>
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
