import { methods } from '@tributary/contract'
import { query } from '../queries/query.ts'

/** Reads how to reach the realtime gateway. Read only once. */
export const realtimeQuery = () => query(methods.realtime.getConfig, {}, { staleTime: Number.POSITIVE_INFINITY })
