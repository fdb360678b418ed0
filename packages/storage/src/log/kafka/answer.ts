import { openCluster } from './cluster.ts'
import type { KafkaOptions } from './options.ts'

/** Resolves when a broker answers within a time, ms; else rejects with its refusal, or what failed. */
export const requireKafkaAnswer = async (options: KafkaOptions, ms: number): Promise<void> => {
  const cluster = openCluster(options)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms / 1000} seconds`)), ms)
  try {
    await Promise.race([cluster.brokers(), late.promise])
  } finally {
    clearTimeout(timer)
    cluster.close()
  }
}
