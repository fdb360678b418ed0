import type { PersonDataKind } from '@tributary/connector-kit'

type Template = { type: 'TEMPLATE'; value: string }

/** Returns a source with the first value at several paths of an event. */
export const anyOf = (...paths: readonly string[]): Template => ({
  type: 'TEMPLATE',
  value: `{{ ${paths.join(' | default: ')} }}`,
})

const user = <Kind extends PersonDataKind>(kind: Kind) => ({ type: 'VARIABLE', name: `user_${kind}` }) as const

/** The sources of a person's data: the variables that read it at the paths of the workspace. */
export const personPlaces = {
  email: user('email'),
  phone: user('phone'),
  firstName: user('first_name'),
  lastName: user('last_name'),
  city: user('city'),
  state: user('state'),
  postalCode: user('postal_code'),
  country: user('country'),
  gender: user('gender'),
  birthday: user('birthday'),
} as const

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
