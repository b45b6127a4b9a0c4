import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface ButtonProps {
  children: ComponentChildren;
  kind?: 'plain' | 'main' | 'danger' | 'quiet';
  type?: 'button' | 'submit';
  busy?: boolean;
  disabled?: boolean;
  label?: string | undefined;
  /** Gets the focus when it appears. */
  focused?: boolean;
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
  focused = false,
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
      autofocus={focused}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.();
      }}
    >
      {children}
    </button>
  );
}

export function Buttons({ children }: { children: ComponentChildren }) {
  return <div class="buttons">{children}</div>;
}

/** Copies a text to the clipboard, and confirms it for a moment. */
export function CopyButton({ text, children }: { text: string; children: string }) {
  const [feedback, setFeedback] = useState<'' | 'Copied' | 'Not allowed'>('');
  useEffect(() => {
    if (feedback === '') return;
    const timer = window.setTimeout(() => setFeedback(''), 2_000);
    return () => window.clearTimeout(timer);
  }, [feedback]);
  return (
    <>
      <Button
        label={feedback === '' ? undefined : `${children}: ${feedback}`}
        onClick={async () => setFeedback((await copyText(text)) ? 'Copied' : 'Not allowed')}
      >
        <span class="swap">
          <span class={feedback === '' ? '' : 'gone'}>{children}</span>
          <span class={feedback === '' ? 'gone' : ''} aria-hidden="true">
            {feedback === 'Not allowed' ? '✖' : '✔'}
          </span>
        </span>
      </Button>
      <span class="visually-hidden" role="status">
        {feedback}
      </span>
    </>
  );
}

/** Over plain http pages have no clipboard API; `execCommand` copies the selection. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'visually-hidden';
    const previous = document.activeElement;
    (document.querySelector('dialog[open]') ?? document.body).append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    if (previous instanceof HTMLElement) previous.focus();
    return isCopied;
  }
}
