import type { SourceGuideStep } from '@tributary/connector-kit'

/**
 * Returns the last step of a guide: where to see the event. `wait` is the maximum time that the library keeps the event
 * before sending.
 */
export const seeItArrive = (wait: string): SourceGuideStep => ({
  title: 'See it arrive',
  text: `Run your code. ${wait} The top of the **Set up** page then shows your first event. If nothing appears, check **Refused requests**, which counts what the server refused and why.`,
})

/** A note in guides for libraries that themselves put https in front of the host. */
export const needsHttps =
  'The library only uses HTTPS and adds it to the host, so this server must be reachable at the host below with a certificate the device trusts.'
