import { useState } from 'preact/hooks';
import { sizeText } from './size-text.js';

/** A target for dropped files, with a file picker. */
export function DropZone({ maxBytes, onFile }: { maxBytes: number; onFile: (file: File) => void }) {
  const [over, setOver] = useState(false);
  const take = (files: FileList | null | undefined): void => {
    const [file] = files ?? [];
    if (file !== undefined) onFile(file);
  };
  return (
    <section
      class={`panel drop${over ? ' over' : ''}`}
      aria-label="Upload"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <p>
        <label for="list-file" class="button main">
          Choose a list
        </label>
        <input
          id="list-file"
          class="file"
          type="file"
          accept=".csv,.tsv,.tab,.txt,.gz,text/csv,text/plain"
          onChange={(event) => {
            take(event.currentTarget.files);
            // Choosing the same file again must fire a change event.
            event.currentTarget.value = '';
          }}
        />
      </p>
      <p class="muted">or drop it here · up to {sizeText(maxBytes)}</p>
    </section>
  );
}
