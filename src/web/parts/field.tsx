import { useId, useState } from 'preact/hooks';
import { limits as fieldLimits } from '../../wire/schema.js';
import { Button } from './button.js';
import { Form } from './form.js';

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
  placeholder?: string;
  /** As the server checks it. The pattern is left to the server, which explains it. */
  limits?: { minimum?: number; maximum?: number; minLength?: number; maxLength?: number };
}

/** An input with its label and hint. */
export function Field({
  label,
  hint,
  onInput,
  type = 'text',
  autoFocus = false,
  limits = {},
  ...inputProps
}: FieldProps) {
  const id = useId();
  const { minimum: min, maximum: max, minLength, maxLength } = limits;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...{ min, max, minLength, maxLength }}
        {...inputProps}
        id={id}
        type={type as 'text'}
        ref={autoFocus ? focusInput : null}
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

function focusInput(input: HTMLInputElement | null): void {
  input?.focus();
}

/** The user name for password managers. */
export function HiddenUser({ name }: { name: string }) {
  return (
    <input
      type="text"
      class="visually-hidden"
      name="username"
      value={name}
      autocomplete="username"
      tabIndex={-1}
      aria-hidden="true"
      readOnly
    />
  );
}

interface SearchProps {
  id: string;
  /** For screen readers. */
  label: string;
  placeholder: string;
  button: string;
  search: string;
  onSearch(text: string): void;
}

/** A search field; it searches on submit. */
export function Search({ id, label, placeholder, button, search, onSearch }: SearchProps) {
  const [text, setText] = useState(search);
  return (
    <Form class="search" onSubmit={() => onSearch(text.trim())}>
      <label class="visually-hidden" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="search"
        placeholder={placeholder}
        maxLength={fieldLimits.search.maxLength}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit">{button}</Button>
    </Form>
  );
}

interface SelectProps {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}

/** A choice of one value, with its label. */
export function Select({ label, value, choices, onChange }: SelectProps) {
  return (
    <label class="select">
      {label}{' '}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
