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
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: its buttons are clicked by keys, too. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same. */}
      <div
        class="menu-items"
        onClick={(event) => {
          const chosen = event.target instanceof Element && event.target.closest('button, a') !== null;
          if (chosen && details.current !== null) details.current.open = false;
        }}
      >
        {children}
      </div>
    </details>
  );
}
