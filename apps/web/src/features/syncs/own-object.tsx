import { ExplainedCheckbox, type ExplainedCheckboxProps } from './explained-checkbox.tsx'

/**
 * A checkbox that makes a mirroring sync also remove rows that it has not written. `object` names the owned object,
 * such as `Table orders`.
 */
export const OwnObject = ({ object, ...choice }: ExplainedCheckboxProps & { object: string }) => (
  <ExplainedCheckbox title={`This sync owns ${object}`} {...choice}>
    Each run lists what is there and removes rows that are not in the model, even rows that this sync did not send.
  </ExplainedCheckbox>
)
