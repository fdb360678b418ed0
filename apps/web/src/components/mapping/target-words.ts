import type { TargetType } from '@tributary/contract'

/** Types of targets as they are called on the page. */
export const targetTypeWords: Readonly<Record<TargetType, string>> = {
  any: 'Any type',
  string: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  datetime: 'Time',
  object: 'Object',
  array: 'List',
}
