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
