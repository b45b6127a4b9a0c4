import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A dropdown menu. Closes on Escape, on a click elsewhere, and on a choice. */
export function Menu({
  label,
  name,
  children,
}: {
  label: ComponentChildren;
  name: string;
  children: ComponentChildren;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      const menu = details.current;
      if (menu === null || !menu.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        menu.querySelector('summary')?.focus();
      } else if (event.target instanceof Node && menu.contains(event.target)) return;
      menu.open = false;
    };
    document.addEventListener('click', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('click', close);
      document.removeEventListener('keydown', close);
    };
  }, []);
  return (
    <details class="menu" ref={details}>
      <summary aria-label={name}>{label}</summary>
      <div
        class="menu-items"
        onClickCapture={(event) => {
          const chosen = event.target instanceof Element && event.target.closest('button, a') !== null;
          if (!chosen || details.current === null) return;
          // Before the entry opens a dialog, which later returns the focus to where it was.
          details.current.querySelector('summary')?.focus();
          details.current.open = false;
        }}
      >
        {children}
      </div>
    </details>
  );
}
