import { useState } from 'preact/hooks';
import { Button } from './button.js';

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
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
      }}
    >
      <label class="unseen" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="search"
        placeholder={placeholder}
        maxLength={200}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit">{button}</Button>
    </form>
  );
}
