import type { WebhookRule, Webhooks } from '@tributary/collect'
import { createLoadedConnectors, type LoadedConnectors } from '@tributary/connector-kit'
import { listedSources } from '@tributary/connectors'
import type { Logger } from '@tributary/kernel'

/** The rules of source connectors for calls to their webhooks, for connectors that were loaded. */
export const createSourceWebhooks = (logger: Logger): Webhooks & Pick<LoadedConnectors<unknown>, 'load'> => {
  const sources = createLoadedConnectors(
    listedSources.filter(({ receivesWebhooks }) => receivesWebhooks),
    logger,
  )
  return { get: (slug): WebhookRule | undefined => sources.get(slug)?.webhook, load: sources.load }
}
