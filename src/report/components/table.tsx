import type { ComponentChildren } from 'preact';

interface TableProps {
  /** What it holds, for those who hear the page. */
  about: string;
  /** The cells of its head. */
  head?: ComponentChildren;
  /** On a narrow screen the cells of a row stand one beneath the other. */
  stacks?: boolean;
  /** A menu in it may reach beyond its edge. */
  roomy?: boolean;
  id?: string;
  children: ComponentChildren;
}

/** A table that scrolls within itself where it is too wide for the page. */
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
