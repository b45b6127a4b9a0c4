import type { ComponentChildren } from 'preact';

interface TableProps {
  /** For screen readers. */
  about: string;
  head?: ComponentChildren;
  /** On a narrow screen cells are stacked. */
  stacks?: boolean;
  /** A menu may overflow it. */
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
