import { z } from 'zod'
import { everybody } from './access.ts'
import { defineMethod } from './method.ts'

/** The realtime channel of a source, as the protocol names it. */
export const sourceChannel = (sourceId: string): string => `private-sources-${sourceId}`

/** Name of the message on a source's channel that announces a new version of the schema: `{ version }`. */
export const schemaMessage = 'schema'

export const realtime = {
  getConfig: defineMethod({
    name: 'realtime.getConfig',
    verb: 'GET',
    path: '/realtime:config',
    access: everybody,
    summary: 'Gets the application key of the realtime gateway (Pusher protocol 7, same origin).',
    response: z.object({ key: z.string() }),
    errors: [],
  }),
}
