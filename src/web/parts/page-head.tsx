import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { safeText } from '../../model/text/safe-text.js';
import { UntrustedText } from '../../report/components/domain-name.js';

/** A page without the top bar, for those who are not signed in. */
export function LonePage({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · mailvet`;
  }, [title]);
  return (
    <main class="alone">
      <div class="panel">
        <p class="brand">mailvet</p>
        {children}
      </div>
    </main>
  );
}

/** The heading of a page: sets the title of the tab, and takes the focus after navigation. */
export function PageHead({
  title,
  tabPrefix = '',
  description,
  children,
}: {
  title: string;
  /** Stands before the title in the tab only. */
  tabPrefix?: string;
  description: ComponentChildren;
  children?: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${tabPrefix}${safeText(title)} · mailvet`;
  }, [title, tabPrefix]);
  useEffect(() => {
    const hasFocusInPage = document.activeElement !== null && document.activeElement.closest('main, dialog') !== null;
    if (!hasFocusInPage) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class="head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          <UntrustedText text={title} />
        </h1>
        <p>{description}</p>
      </div>
      {children !== undefined && <div class="buttons">{children}</div>}
    </div>
  );
}
