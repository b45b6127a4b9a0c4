/** The name that a password manager keeps a password under; nobody else needs it. */
export function HiddenUser({ name }: { name: string }) {
  return (
    <input
      type="text"
      class="unseen"
      name="username"
      value={name}
      autocomplete="username"
      tabIndex={-1}
      aria-hidden="true"
      readOnly
    />
  );
}
