import { sourceTypes } from '@tributary/contract'

/** The word for a source type's number; a number that is not known has none. */
export const sourceTypeName = (type: number): string => {
  const found = Object.entries(sourceTypes).find(([, value]) => value === type)
  return found === undefined || found[0] === 'Unspecified' ? '' : found[0]
}
