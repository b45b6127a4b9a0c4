import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface ButtonProps {
  children: ComponentChildren;
  kind?: 'plain' | 'main' | 'danger' | 'quiet';
  type?: 'button' | 'submit';
  busy?: boolean;
  disabled?: boolean;
  label?: string | undefined;
  onClick?: () => void;
}

/** A button. While busy it cannot be pressed, and keeps its width and focus. */
export function Button({
  children,
  kind = 'plain',
  type = 'button',
  busy = false,
  disabled = false,
  label,
  onClick,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={`button ${kind}`}
      disabled={disabled}
      aria-disabled={busy}
      aria-busy={busy}
      aria-label={label}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.();
      }}
    >
      {children}
    </button>
  );
}

/** Copies a text to the clipboard, and confirms it for a moment. */
export function CopyButton({ text, children }: { text: string; children: string }) {
  const [said, setSaid] = useState<'' | 'Copied' | 'Not allowed'>('');
  useEffect(() => {
    if (said === '') return;
    const timer = window.setTimeout(() => setSaid(''), 2_000);
    return () => window.clearTimeout(timer);
  }, [said]);
  return (
    <>
      <Button
        label={said === '' ? undefined : `${children}: ${said}`}
        onClick={async () => setSaid((await copy(text)) ? 'Copied' : 'Not allowed')}
      >
        <span class="swap">
          <span class={said === '' ? '' : 'gone'}>{children}</span>
          <span class={said === '' ? 'gone' : ''} aria-hidden="true">
            {said === 'Not allowed' ? '✖' : '✔'}
          </span>
        </span>
      </Button>
      <span class="unseen" role="status">
        {said}
      </span>
    </>
  );
}

/** Over plain http pages have no clipboard API; `execCommand` copies the selection. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'unseen';
    const before = document.activeElement;
    (document.querySelector('dialog[open]') ?? document.body).append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    if (before instanceof HTMLElement) before.focus();
    return done;
  }
}
