import type { SourceGuideStep } from '@tributary/connector-kit'

/** The last step of a guide: where to see the event. `wait` says how long the library keeps it at most. */
export const seeItArrive = (wait: string): SourceGuideStep => ({
  title: 'See it arrive',
  text: `Run what you have set up. ${wait} The line at the top of the **Set up** page then names the first event. When it keeps waiting, look under **Refused requests**: what the server could not take is counted there with the reason.`,
})

/** For libraries that put https in front of the host themselves. */
export const needsHttps =
  'The library speaks https only and puts it in front of the host by itself, so this server has to be reachable at the host below with a certificate that the device trusts.'
