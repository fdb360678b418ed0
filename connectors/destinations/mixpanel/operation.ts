import type { JsonObject } from '@tributary/connector-kit'

/** Mixpanel's endpoints: for events, profiles of users, and profiles of groups. */
export const endpoints = ['import', 'engage', 'groups'] as const
export type Endpoint = (typeof endpoints)[number]

/** One record of a request. */
export type Operation = { readonly endpoint: Endpoint; readonly body: JsonObject }

/** The records of an event, at most one for each endpoint; or the reason why the event cannot be sent. */
export type Made = { readonly operations: readonly Operation[] } | { readonly problem: string }
