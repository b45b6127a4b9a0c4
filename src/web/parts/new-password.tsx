import { limits } from '../../wire/schema.js';
import { Problem } from '../server/call.js';
import { Field } from './field.js';

interface NewPasswordProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  repeated: string;
  onRepeat: (value: string) => void;
  hint?: string;
  autoFocus?: boolean;
}

/** A new password, typed twice. */
export function NewPasswordFields({
  label,
  value,
  onInput,
  repeated,
  onRepeat,
  hint = '',
  autoFocus,
}: NewPasswordProps) {
  return (
    <>
      <Field
        label={label}
        type="password"
        name="new-password"
        autoComplete="new-password"
        value={value}
        onInput={onInput}
        required
        limits={limits.newPassword}
        hint={`At least ${limits.newPassword.minLength} characters. ${hint}`.trim()}
        {...(autoFocus && { autoFocus })}
      />
      <Field
        label={`Repeat the ${label.toLowerCase()}`}
        type="password"
        name="new-password-again"
        autoComplete="new-password"
        value={repeated}
        onInput={onRepeat}
        required
      />
    </>
  );
}

/** Throws a `Problem` for passwords that differ. */
export function requireSamePassword(password: string, repeated: string): void {
  if (password !== repeated) throw new Problem(-1, 'The passwords do not match.', 'Type the same one twice.');
}
