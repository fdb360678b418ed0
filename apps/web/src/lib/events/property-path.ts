import { pointerNames } from '@tributary/contract'

/** The names in the property of a problem: one, or an array and the field of its items; none for a whole event. */
export const propertyNames = (property: string): readonly string[] =>
  property === '' ? [] : (pointerNames(`/${property}`) ?? [property])

/** How a screen names the property of a problem, such as `lines › price`; '' for a whole event. */
export const propertyPath = (property: string): string => propertyNames(property).join(' › ')
