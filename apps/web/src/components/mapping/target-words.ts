import type { TargetType } from '@tributary/contract'

/** The titles of target types. */
export const targetTypeWords: Readonly<Record<TargetType, string>> = {
  any: 'Any type',
  string: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  datetime: 'Time',
  object: 'Object',
  array: 'List',
}
