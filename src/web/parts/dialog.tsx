import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Action } from '../server/use-answer.js';
import { Button } from './button.js';
import { Buttons } from './field.js';
import { ProblemNote } from './remote-content.js';

interface DialogProps {
  title: string;
  children: ComponentChildren;
  /** Absent for a dialog that must be answered. */
  onClose?: () => void;
}

/** A modal dialog. Closing it restores the focus. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the first paint: afterwards the browser refuses `autofocus`.
  useLayoutEffect(() => {
    const previous = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      // While it is open, nothing outside a modal dialog can have the focus.
      element?.close();
      if (previous instanceof HTMLElement && previous.isConnected) previous.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onKeyDown={(event) => {
        // Browsers close a dialog on the second Escape, even if the first was prevented.
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

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
          <Button onClick={onClose} focused={danger}>
            {cancel}
          </Button>
        </Buttons>
      </form>
    </Dialog>
  );
}
