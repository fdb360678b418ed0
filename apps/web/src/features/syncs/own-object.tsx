import { ExplainedCheckbox, type ExplainedCheckboxProps } from './explained-checkbox.tsx'

/** Whether a sync that mirrors removes what it has not written, too. `object` names what it would own, such as `Table orders`. */
export const OwnObject = ({ object, ...choice }: ExplainedCheckboxProps & { object: string }) => (
  <ExplainedCheckbox title={`This sync owns ${object}`} {...choice}>
    Each run lists what is there and removes rows that are not in the model, even rows that this sync did not send.
  </ExplainedCheckbox>
)
