import type { WebhookRule, Webhooks } from '@tributary/collect'
import { createLoadedConnectors, type LoadedConnectors } from '@tributary/connector-kit'
import { listedSources } from '@tributary/connectors'
import type { Logger } from '@tributary/kernel'

/** Creates the rules for calls to webhooks of sources, from the source connectors that were loaded. */
export const createSourceWebhooks = (logger: Logger): Webhooks & Pick<LoadedConnectors<unknown>, 'load'> => {
  const sources = createLoadedConnectors(
    listedSources.filter(({ receivesWebhooks }) => receivesWebhooks),
    logger,
  )
  return { get: (slug): WebhookRule | undefined => sources.get(slug)?.webhook, load: sources.load }
}
