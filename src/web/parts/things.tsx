import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Column, Table, type TableProps } from '../../report/components/panel.js';
import { type Remote, useAction } from '../server/use-answer.js';
import { FormDialog } from './dialog.js';
import { Menu } from './menu.js';
import { RemoteContent } from './remote-content.js';

interface ThingsProps<Answer, Row> extends Omit<TableProps<Row>, 'caption' | 'rows' | 'empty'> {
  /** For screen readers. */
  name: string;
  remote: Remote<Answer>;
  rowsOf(answer: Answer): readonly Row[];
  /** What is said instead of an empty table, and what to do then. */
  empty: readonly [text: string, advice?: string];
  title?: string;
  /** What stands below the table. */
  below?(answer: Answer): ComponentChildren;
}

/** A panel with the things of an answer in a table. */
export function Things<Answer, Row>(props: ThingsProps<Answer, Row>) {
  const { name, remote, rowsOf, empty, title, below, ...table } = props;
  const [text, advice] = empty;
  return (
    <RemoteContent remote={remote}>
      {(answer) => (
        <section class="panel" aria-label={name}>
          {title !== undefined && <h2>{title}</h2>}
          {rowsOf(answer).length === 0 ? (
            <div class="empty">
              <p>{text}</p>
              {advice !== undefined && <p class="muted">{advice}</p>}
            </div>
          ) : (
            <Table stacks caption={name} rows={rowsOf(answer)} {...table} />
          )}
          {below?.(answer)}
        </section>
      )}
    </RemoteContent>
  );
}

/** A change of a thing. `danger`: it is the one that takes the thing away. */
type Change = [name: string, start: () => void, danger?: 'danger'];

/** A column with a menu of changes, if there are any. */
export function changeColumn<Row>(nameOf: (row: Row) => string, changesOf: (row: Row) => readonly Change[]) {
  const cell = (row: Row) =>
    changesOf(row).length > 0 && (
      <Menu name={`Change ${nameOf(row)}`} label="⋯">
        {changesOf(row).map(([name, start, danger]) => (
          <button key={name} type="button" class={danger && 'text-invalid'} onClick={start}>
            {name}
          </button>
        ))}
      </Menu>
    );
  return { name: 'Change', class: 'number', isHidden: true, cell } satisfies Column<Row>;
}

/** The dialog that is open. */
export interface DialogState {
  dialog: ComponentChildren;
  open(dialog: ComponentChildren): void;
  close(): void;
  /** Closes it, and fetches what it has changed. */
  done(): void;
}

export function useDialog(refresh: () => void): DialogState {
  const [dialog, open] = useState<ComponentChildren>(null);
  const close = (): void => open(null);
  return {
    ...{ dialog, open, close },
    done: () => {
      close();
      refresh();
    },
  };
}

interface ConfirmDialogProps {
  title: string;
  button: string;
  cancel?: string;
  work: (signal: AbortSignal) => Promise<unknown>;
  within: DialogState;
  children: ComponentChildren;
}

/** Asks before something is taken away. */
export function ConfirmDialog({ work, within, ...form }: ConfirmDialogProps) {
  const action = useAction(async (signal) => {
    await work(signal);
    within.done();
  });
  return <FormDialog {...form} danger action={action} onClose={within.close} />;
}
