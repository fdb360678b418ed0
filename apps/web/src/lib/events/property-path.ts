import { pointerNames } from '@tributary/contract'

/**
 * Splits the property of a problem into names: one name, or an array and the field of its items. A problem of a whole
 * event has none.
 */
export const propertyNames = (property: string): readonly string[] =>
  property === '' ? [] : (pointerNames(`/${property}`) ?? [property])

/** Returns the text for the property of a problem, such as `lines › price`; '' for a whole event. */
export const propertyPath = (property: string): string => propertyNames(property).join(' › ')
