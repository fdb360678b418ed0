import type { JsonObject } from '@tributary/connector-kit'

/** Mixpanel's endpoints in the order of requests: for events, profiles of groups, and profiles of users. */
export const endpoints = ['import', 'groups', 'engage'] as const
export type Endpoint = (typeof endpoints)[number]

/**
 * One record of a request, with its size if it is an event. With `once`, sending the record again would change the
 * profile again.
 */
export type Operation = {
  readonly endpoint: Endpoint
  readonly body: JsonObject
  readonly bytes?: number
  readonly once?: true
}

/** The records of an event, and what was left out of it, for users; or the reason why the event cannot be sent. */
export type Made =
  | { readonly operations: readonly Operation[]; readonly leftOut?: readonly string[] }
  | { readonly problem: string }
