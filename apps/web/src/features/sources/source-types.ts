import { sourceTypeOf } from '@tributary/contract'

/** The word for a source type's number; what is Unspecified has none. */
export const sourceTypeName = (type: number): string => {
  const name = sourceTypeOf(type)
  return name === 'Unspecified' ? '' : name
}
