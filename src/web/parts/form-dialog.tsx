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
  /** What leaves it without an answer. */
  cancel?: string;
  /** What submitting it starts. */
  action: Action<[]>;
  onClose: () => void;
  children: ComponentChildren;
}

/** A question in front of the page that is answered by a form, or left by Cancel. */
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
