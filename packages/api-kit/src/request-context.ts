import { AsyncLocalStorage } from 'node:async_hooks'
import type { Client } from '@tributary/http'
import type { Actor } from '@tributary/kernel'

/** The actor and the client of the current call. */
export type CallOfNow = { actor: Actor | undefined; client: Client }

const calls = new AsyncLocalStorage<CallOfNow>()

/**
 * The current call; undefined in jobs. Use it only for values that every call records in the same way: the values that
 * a handler decides by are its parameters.
 */
export const callOfNow = (): CallOfNow | undefined => calls.getStore()

/** Wraps a handler, so that `callOfNow` returns its call during it. */
export const withinCall =
  <Call extends CallOfNow, Result>(handler: (call: Call) => Promise<Result>) =>
  (call: Call): Promise<Result> =>
    calls.run({ actor: call.actor, client: call.client }, () => handler(call))
