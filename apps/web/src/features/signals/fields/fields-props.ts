import type { Problems, SignalDraft } from '../draft.ts'

/** What the fields of a part of a signal are told. */
export type FieldsProps = {
  draft: SignalDraft
  problems: Problems
  disabled: boolean
  onChange: (draft: SignalDraft) => void
}
