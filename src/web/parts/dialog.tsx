import type { ComponentChildren, ComponentProps } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.js';
import { ActionForm } from './form.js';

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

interface FormDialogProps extends Omit<ComponentProps<typeof ActionForm>, 'others'> {
  title: string;
  /** Label of the cancel button. */
  cancel?: string;
  onClose: () => void;
}

/** A dialog with a form. */
export function FormDialog({ title, cancel = 'Cancel', onClose, danger = false, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <ActionForm
        {...form}
        danger={danger}
        others={
          <Button onClick={onClose} focused={danger}>
            {cancel}
          </Button>
        }
      />
    </Dialog>
  );
}
