/** Maximum characters of an advertising ID. */
const maxCharacters = 100

/**
 * Returns the advertising ID of a device; undefined for an empty one. Without permission, iOS and Android give an ID of
 * zeros, which is the same for all people (Apple, `advertisingIdentifier` of ASIdentifierManager).
 */
export const advertisingIdOf = (value: string | undefined): string | undefined => {
  const id = value?.trim() ?? ''
  return id === '' || id.length > maxCharacters || /\s/.test(id) || /^[0-]+$/.test(id) ? undefined : id
}
