import type { MappingSourceType, TargetType } from '@tributary/contract'

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

/** The titles of the types of sources. */
export const sourceTypeWords: Readonly<Record<MappingSourceType, string>> = {
  FIELD: 'Field',
  FIRST: 'First of several',
  LIST: 'List of objects',
  CONSTANT: 'Constant',
  VARIABLE: 'Variable',
  TEMPLATE: 'Template',
  PROFILE: 'Profile',
}
