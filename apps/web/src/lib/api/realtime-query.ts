import { methods } from '@tributary/contract'
import { query } from '../queries/query.ts'

/** How the realtime gateway is reached; read once and kept. */
export const realtimeQuery = () => query(methods.realtime.getConfig, {}, { staleTime: Number.POSITIVE_INFINITY })
