import type { ComponentChildren } from 'preact';
import type { Action } from '../server/use-action.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Buttons } from './field.js';
import { ProblemNote } from './problem-note.js';

interface FormDialogProps {
  title: string;
  button: string;
  danger?: boolean;
  /** Label of the cancel button. */
  cancel?: string;
  /** Runs on submit. */
  action: Action<[]>;
  onClose: () => void;
  children: ComponentChildren;
}

/** A dialog with a form. */
export function FormDialog({
  title,
  button,
  danger = false,
  cancel = 'Cancel',
  action,
  onClose,
  children,
}: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void action.start();
        }}
      >
        {children}
        <ProblemNote problem={action.problem} />
        <Buttons>
          <Button kind={danger ? 'danger' : 'main'} type="submit" busy={action.busy}>
            {button}
          </Button>
          <Button onClick={onClose}>{cancel}</Button>
        </Buttons>
      </form>
    </Dialog>
  );
}
