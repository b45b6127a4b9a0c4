import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  type?: 'text' | 'password' | 'number' | 'date';
  hint?: string;
  name?: string;
  autoComplete?: string;
  autoFocus?: boolean;
  required?: boolean;
  min?: string | number;
  max?: string | number;
  minLength?: number;
  maxLength?: number;
  placeholder?: string;
}

/** An input with its label and hint. */
export function Field({ label, hint, onInput, type = 'text', autoFocus = false, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...rest}
        id={id}
        type={type as 'text'}
        ref={autoFocus ? focusOnce : null}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint !== undefined && (
        <p class="muted small" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function focusOnce(input: HTMLInputElement | null): void {
  input?.focus();
}

export function Buttons({ children }: { children: ComponentChildren }) {
  return <div class="buttons">{children}</div>;
}
