import { z } from 'zod'
import { defineMethod } from './method.ts'

export const realtime = {
  getConfig: defineMethod({
    name: 'realtime.getConfig',
    verb: 'GET',
    path: '/realtime:config',
    summary: 'The application key of the realtime gateway (Pusher protocol 7, same origin).',
    response: z.object({ key: z.string() }),
    errors: [],
  }),
}
