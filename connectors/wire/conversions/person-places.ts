type Template = { type: 'TEMPLATE'; value: string }

/** Returns a source with the first value at several paths of an event. */
export const anyOf = (...paths: readonly string[]): Template => ({
  type: 'TEMPLATE',
  value: `{{ ${paths.join(' | default: ')} }}`,
})

/** The objects of an event that can have data of the person. */
type Holder = 'context.traits' | 'properties' | 'traits'

/**
 * Returns the sources of a person's data: the paths at which libraries and peers send it, in camelCase and snake_case,
 * in the order of the holders. Segment reads `properties.first_name`, `context.traits.first_name` and
 * `address.postal_code` (action-destinations, `tiktok-conversions/reportWebEvent/fields/common_fields.ts`). RudderStack
 * reads `firstname`, `first_name` and `address.zip` in `traits` and `context.traits` (rudder-transformer,
 * `facebook_pixel/data/FBPIXELUserDataConfig.json`).
 */
const placesOfPerson = (holders: readonly Holder[]) => {
  const pathsIn = (chosen: readonly string[], names: readonly string[]): string[] =>
    chosen.flatMap((holder) => names.map((name) => `${holder}.${name}`))
  // In properties, a name such as `city` can belong to something else, such as a hotel.
  const traits = holders.filter((holder) => holder !== 'properties')
  const inHolders = (...names: readonly string[]) => anyOf(...pathsIn(holders, names))
  const inTraits = (...names: readonly string[]) => anyOf(...pathsIn(traits, names))
  const inAddress = (...names: readonly string[]) => {
    const addresses = holders.map((holder) => `${holder}.address`)
    return anyOf(...pathsIn(addresses, names), ...pathsIn(traits, names))
  }
  return {
    email: inHolders('email'),
    phone: inHolders('phone', 'phone_number', 'phoneNumber'),
    firstName: inHolders('firstName', 'first_name', 'firstname'),
    lastName: inHolders('lastName', 'last_name', 'lastname'),
    city: inAddress('city'),
    state: inAddress('state'),
    postalCode: inAddress('postalCode', 'postal_code', 'zip'),
    country: inAddress('country'),
    gender: inTraits('gender'),
    birthday: inTraits('birthday', 'dateOfBirth', 'date_of_birth'),
  } as const
}

/** The sources of a person's data in events. */
export const personPlaces = placesOfPerson(['context.traits', 'properties', 'traits'])

/** The sources of a person's data in `identify` calls, whose own traits are the newest. */
export const identifyPlaces = placesOfPerson(['traits', 'context.traits'])

/**
 * The paths of click IDs and browser IDs. The website tag writes `context.clickIds` and `context.browserIds`, see
 * docs/tag.md. Signals read the same paths in the same order.
 */
export const clickPlaces = {
  gclid: anyOf('context.clickIds.gclid', 'properties.gclid', 'context.gclid', 'traits.gclid'),
  gbraid: anyOf('context.clickIds.gbraid', 'properties.gbraid', 'context.gbraid'),
  wbraid: anyOf('context.clickIds.wbraid', 'properties.wbraid', 'context.wbraid'),
  // The cookie has the time of the click. Without it, the parameter of the link is used.
  fbc: anyOf(
    'context.browserIds.fbc',
    'properties.fbc',
    'context.fbc',
    'properties._fbc',
    'context.clickIds.fbclid',
    'properties.fbclid',
    'context.fbclid',
  ),
  fbp: anyOf('context.browserIds.fbp', 'properties.fbp', 'context.fbp', 'properties._fbp'),
  ttclid: anyOf('context.clickIds.ttclid', 'properties.ttclid', 'context.ttclid'),
  ttp: anyOf('context.browserIds.ttp', 'properties.ttp', 'context.ttp', 'properties._ttp'),
} as const
