import { sourceTypeOf } from '@tributary/contract'

/** The name of a source type's number; '' for Unspecified. */
export const sourceTypeName = (type: number): string => {
  const name = sourceTypeOf(type)
  return name === 'Unspecified' ? '' : name
}
