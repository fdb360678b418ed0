import { OFREPWebProvider } from '@openfeature/ofrep-web-provider'
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk'
import { type FlagContext, flagDefaults, flagKeys } from '@tributary/contract'
import { useFlags } from './flags.ts'

const domain = 'tributary'
const silent = { error() {}, warn() {}, info() {}, debug() {} }

/**
 * Connects the flags with the server. What it returns asks for the flags of a context, at once and at every call with
 * another one. When the server does not answer, what was known last stays, at first the defaults.
 */
export const createFlagClient = (deps: {
  /** Origin of the server, without a slash at the end. */
  baseUrl: string
  token: () => string | null
  fetch?: typeof fetch
}): ((context: FlagContext) => Promise<void>) => {
  OpenFeature.setLogger(silent)
  const client = OpenFeature.getClient(domain)
  const read = (): void => {
    useFlags.setState(Object.fromEntries(flagKeys.map((key) => [key, client.getBooleanValue(key, flagDefaults[key])])))
  }
  for (const event of [ProviderEvents.Ready, ProviderEvents.ContextChanged, ProviderEvents.ConfigurationChanged])
    client.addHandler(event, read)
  let connected = false
  return async (context) => {
    await OpenFeature.setContext(domain, {
      ...context,
      ...(context.user === undefined ? {} : { targetingKey: context.user }),
    })
    if (connected) return
    connected = true
    const provider = new OFREPWebProvider(
      {
        baseUrl: deps.baseUrl,
        ...(deps.fetch === undefined ? {} : { fetchImplementation: deps.fetch }),
        headersFactory: async () => {
          const token = deps.token()
          return token === null ? [] : [['Authorization', `Bearer ${token}`]]
        },
        cacheMode: 'disabled',
        disableVisibilityRefresh: true,
      },
      silent,
    )
    // A server without flags is no fault of the page.
    await OpenFeature.setProviderAndWait(domain, provider).catch(() => undefined)
  }
}
