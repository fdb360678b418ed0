/**
 * Returns a value in the form that HubSpot accepts for any property. Values are texts; an empty text clears the
 * property; several options of a checkbox are joined by semicolons (developers.hubspot.com, "Properties"). Numbers keep
 * their digits.
 */
export const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (
    Array.isArray(value) &&
    value.every((each) => each === null || typeof each !== 'object' || each instanceof Number)
  )
    return value.map(valueText).join(';')
  // An exact number, which a double cannot hold, is an object whose text is its digits.
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof Number) return value.toString()
  return JSON.stringify(value)
}

/** Returns the values of an object as HubSpot accepts them. */
export const propertiesOf = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueText(value)]))
