import type { Problems, SignalDraft } from '../draft.ts'

/** Props of the fields of a part of a signal. */
export type FieldsProps = {
  draft: SignalDraft
  problems: Problems
  disabled: boolean
  onChange: (draft: SignalDraft) => void
}
