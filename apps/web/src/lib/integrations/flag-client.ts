import { type FlagContext, flagDefaults, flagKeys, isJsonObject } from '@tributary/contract'
import { useFlags } from './flags.ts'

/**
 * Returns the flags in a response of the OpenFeature Remote Evaluation Protocol, by key. Returns undefined for an
 * invalid response.
 */
const switchesIn = (json: unknown): Map<unknown, boolean> | undefined => {
  const flags = isJsonObject(json) ? json.flags : undefined
  if (!Array.isArray(flags)) return undefined
  return new Map(
    flags.flatMap((flag) => (isJsonObject(flag) && typeof flag.value === 'boolean' ? [[flag.key, flag.value]] : [])),
  )
}

/**
 * Connects the flags with the server. Each call of the returned function loads the flags of a context; if several
 * responses arrive, that of the last call counts. If the server does not respond, the last flags stay, at first the
 * defaults. The application needs only one call of the protocol, and its SDK is larger than most pages.
 */
export const createFlagClient = (deps: {
  /** Origin of the server, without a slash at the end. */
  baseUrl: string
  token: () => string | null
  fetch: typeof fetch
}): ((context: FlagContext) => Promise<void>) => {
  let calls = 0
  return async (context) => {
    calls += 1
    const own = calls
    const token = deps.token()
    try {
      const response = await deps.fetch(`${deps.baseUrl}/ofrep/v1/evaluate/flags`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({
          context: { ...context, ...(context.user === undefined ? {} : { targetingKey: context.user }) },
        }),
      })
      const switches = response.ok ? switchesIn(await response.json()) : undefined
      if (switches === undefined || own !== calls) return
      useFlags.setState(Object.fromEntries(flagKeys.map((key) => [key, switches.get(key) ?? flagDefaults[key]])))
    } catch {
      // If the server provides no flags, the page continues with the last ones.
    }
  }
}
