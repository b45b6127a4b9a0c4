import type { ComponentChildren } from 'preact';
import type { Action } from '../server/use-answer.js';
import { Button, Buttons } from './button.js';
import { ProblemNote } from './remote-content.js';

interface FormProps {
  onSubmit: () => void;
  class?: string;
  children: ComponentChildren;
}

/** A form that the page handles itself. */
export function Form({ onSubmit, class: className = 'stack', children }: FormProps) {
  return (
    <form
      class={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

interface ActionFormProps extends Omit<FormProps, 'onSubmit'> {
  /** Runs on submit. */
  action: Action<[]>;
  button: string;
  /** The button while it runs. */
  busyButton?: string;
  danger?: boolean;
  /** More buttons. */
  others?: ComponentChildren;
}

/** Fields, the problem of the action, and its button. */
export function ActionForm({
  action,
  button,
  busyButton = button,
  danger,
  others,
  children,
  ...form
}: ActionFormProps) {
  return (
    <Form onSubmit={() => void action.start()} {...form}>
      {children}
      <ProblemNote problem={action.problem} />
      <Buttons>
        <Button kind={danger ? 'danger' : 'main'} type="submit" busy={action.busy}>
          {action.busy ? busyButton : button}
        </Button>
        {others}
      </Buttons>
    </Form>
  );
}
