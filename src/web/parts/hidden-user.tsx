/** The user name for password managers. */
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
