import type { ComponentChildren } from 'preact';
import { UntrustedText } from './domain-name.js';

/** The heading of a report. The script of the report shows the button. */
export function ReportHead({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="head">
      <div>
        <h1>
          <UntrustedText text={title} />
        </h1>
        <p>{children}</p>
      </div>
      <button type="button" class="theme-button" id="theme" hidden>
        Switch theme
      </button>
    </div>
  );
}
