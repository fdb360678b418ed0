// The product's connectors, whose requests to the origins that VENDOR_PEERS names (JSON, address by origin) go to peers.
import type { DeliverContext } from '@tributary/connector-kit'
import * as connectors from '../../connectors/index.ts'

const peers = new Map<string, string>(Object.entries(JSON.parse(process.env.VENDOR_PEERS ?? '{}')))

const rebased = (context: DeliverContext): DeliverContext => ({
  ...context,
  request: (request) => {
    const { origin, pathname, search } = new URL(request.url)
    const peer = peers.get(origin)
    return context.request(peer === undefined ? request : { ...request, url: `${peer}${pathname}${search}` })
  },
})

export const { listedDataSources, listedSources, logoFile } = connectors

export const listedDestinations: typeof connectors.listedDestinations = connectors.listedDestinations.map((entry) => ({
  ...entry,
  load: async () => {
    const definition = await entry.load()
    return {
      ...definition,
      testConnection: (context) => definition.testConnection(rebased(context)),
      deliver: (batch, context) => definition.deliver(batch, rebased(context)),
    }
  },
}))
