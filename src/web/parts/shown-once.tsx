import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button, CopyButton } from './button.js';

interface ShownOnceProps {
  /** For screen readers. */
  name: string;
  title: ComponentChildren;
  /** The texts to copy, with the label of their button, and what is shown instead where it is shorter. */
  lines: readonly { text: string; button: string; shown?: string }[];
  children?: ComponentChildren;
  onClose: () => void;
}

/** A secret that is shown once. Takes the focus. */
export function ShownOnce({ name, title, lines, children, onClose }: ShownOnceProps) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  return (
    <section class="panel fresh" aria-label={name} ref={section} tabIndex={-1}>
      <div class="space-between">
        <h2>{title}</h2>
        <Button kind="quiet" label="Close: this is not shown again" onClick={onClose}>
          ✕
        </Button>
      </div>
      {lines.map(({ text, button, shown = text }) => (
        <div key={button} class="copy-line">
          <code class="breaks">{shown}</code>
          <CopyButton text={text}>{button}</CopyButton>
        </div>
      ))}
      {children}
    </section>
  );
}
