/**
 * Returns fields for properties that every HubSpot account has, by their internal names. They take any value, so that
 * null clears a property and a list selects several options.
 */
export const propertyFields = <const Labels extends Readonly<Record<string, readonly [label: string, help: string]>>>(
  labels: Labels,
) => {
  const entries = Object.entries(labels).map(([name, [label, help]]) => {
    const field = { label, help, type: 'any', recommended: true, kind: 'trait' } as const
    return [name, field] as const
  })
  return Object.fromEntries(entries) as {
    readonly [Name in keyof Labels]: {
      readonly label: string
      readonly help: string
      readonly type: 'any'
      readonly recommended: true
      readonly kind: 'trait'
    }
  }
}
