import { ExplainedCheckbox, type ExplainedCheckboxProps } from './explained-checkbox.tsx'

/** A checkbox that passes the events of a sync on to the destinations that are connected to their source. */
export const ToDestinations = (choice: ExplainedCheckboxProps) => (
  <ExplainedCheckbox title="Send to connected destinations" {...choice}>
    Off, the events are stored and update profiles, and no destination of the source gets them.
  </ExplainedCheckbox>
)
